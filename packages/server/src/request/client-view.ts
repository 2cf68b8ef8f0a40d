import type { Can } from './call.ts';

/** The client of one request, whatever its era. */
export interface ClientView {
  /** `rounds`: asks leave in the result and come back with a retry; `push`: asks are sent as requests; `none`: neither. */
  readonly asks: 'rounds' | 'push' | 'none';
  readonly can: Can;
  readonly announcesRoots: boolean;
  /**
   * True if the client's revision knows only the forms of 2025-06-18; see first-form.ts in the form folder of
   * `@midcall/core`.
   */
  readonly firstForms: boolean;
  /** True if the client shows MCP Apps beside the results of tools. */
  readonly apps: boolean;
  /** True if the client declares tasks with this request. */
  readonly tasks: boolean;
}
