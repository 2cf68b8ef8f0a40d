/** A count with its noun: `1 question`, `2 questions`. */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
