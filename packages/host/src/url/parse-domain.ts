/** What the Public Suffix List says of a host name. The list is large, so the `midcall` command loads it with the first name. */
export { parse as parseDomain } from 'tldts';
