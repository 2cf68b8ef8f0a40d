/** An option that may be given several times: every value, in order. */
export const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
