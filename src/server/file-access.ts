/** The roots and files of one call, through the engine so that nothing starts while the run is held. */

import { MidcallError } from '../errors.ts';
import type { Files, Root } from '../roots/index.ts';
import type { Config } from './config.ts';
import type { Run } from './engine.ts';
import type { WireAsk } from './era.ts';
import type { CallRequest } from './request.ts';

export interface FileAccess {
  roots(run: Run<unknown>): Promise<readonly Root[] | undefined>;
  files(run: Run<unknown>): Promise<Files>;
}
export function fileAccess(config: Config): (request: CallRequest) => FileAccess {
  return request => ({
    async roots(run) {
      if (!request.client.can.roots) return undefined;
      const detail: WireAsk = { method: 'roots/list', params: {}, timeoutMs: config.askTimeoutMs };
      const { value } = await run.ask({ kind: 'roots', identity: 'roots', label: 'roots/list', detail });
      return (value as unknown as { got?: { roots: Root[] } }).got?.roots;
    },
    async files() {
      throw new MidcallError('roots/none', 'to come');
    },
  });
}
