/** What may be a header of a request. It is judged before it is sent, since an error of `fetch` quotes the value. Pure. */

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

/** @param value - space and line breaks around it are not sent, and may be anything */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim());
