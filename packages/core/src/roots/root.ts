/** A root as in the protocol (schema.json, `Root`). */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
