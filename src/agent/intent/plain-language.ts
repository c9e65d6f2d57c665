/** A language by its name. Tools and clients choose it, so anything else in its place is left out. */
export function plainLanguage(language: string | undefined): { readonly language?: string } {
  return language !== undefined && /^[\w+#.-]{1,30}$/.test(language) ? { language } : {};
}
