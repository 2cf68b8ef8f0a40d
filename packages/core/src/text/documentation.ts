/** The address of a page of the documentation, which the packages do not contain. */

/** @param path - below `docs`, with or without a heading's anchor: `elicitation.md#forms` */
export const documentation = (path: string): string => `https://github.com/midcall/midcall/blob/main/docs/${path}`;
