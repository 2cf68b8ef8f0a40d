/** What was planted, and what was said. */
export interface Heard {
  readonly secrets: readonly { readonly secret: string; readonly what: string; readonly test: string }[];
  readonly said: readonly { readonly sink: string; readonly text: string; readonly test: string }[];
}

/** Every secret that was said somewhere, and every one that could not be looked for. None of them is repeated. */
export function judgeCanaries(heard: Heard): readonly { readonly test: string; readonly says: string }[];
