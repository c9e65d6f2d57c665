/** One step of the schema, never changed once released: databases carry its checksum. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}
