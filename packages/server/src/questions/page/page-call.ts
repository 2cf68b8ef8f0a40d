import type { Json } from '../../base/index.ts';
import type { PageService } from '../../request/index.ts';
import type { CallRef } from '../../state/index.ts';

/** The call a page belongs to. */
export interface PageCall {
  readonly service: PageService;
  readonly call: CallRef;
  /** The arguments, as they arrived. */
  readonly arguments: Json;
  readonly http: boolean;
  /** Equal for equal calls of the same person and client. */
  readonly binding: string;
  /** Notifies the client, which sent the person there within this request, that the page is finished (2025-11-25). */
  readonly finished: (elicitationId: string) => Promise<void>;
  /** Called when a page that was named in an error is finished (2025-11-25). */
  readonly notify: (pageId: string, elicitationId: string, ms: number) => void;
}
