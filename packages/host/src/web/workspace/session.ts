/** What every page and card needs for rendering. */
export interface Session {
  /** The hidden token of every form. */
  readonly csrf: string;
  /** The address of a page, by its path on the desk: `/roots` -> `/<secret>/roots`. The only place where addresses are made. */
  readonly link: (path: string) => string;
}
