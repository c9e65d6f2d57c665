/** A name that somebody untrusted chose, so that it cannot pass for lines or colours of ours. */
export function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu, '\uFFFD');
}
