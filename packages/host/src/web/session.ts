/** What every page and card needs to be rendered. */
export interface Session {
  /** The hidden token of every form. */
  readonly csrf: string;
  /** The address of a page, by its path on the desk: `/roots` -> `/<secret>/roots`. The one place where addresses are made. */
  readonly link: (path: string) => string;
}
