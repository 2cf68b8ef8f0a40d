/** A count with its noun, such as `1 question` and `3 entries`. @param many - the plural, if it does not just end in s */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Begins a text with a capital letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
