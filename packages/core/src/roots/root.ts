/** A root as the protocol has it (schema.json, `Root`). */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
