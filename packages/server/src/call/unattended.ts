/**
 * Runs a handler without a client, such as from a command line or a timer: the same code, and nobody to ask. Every question is
 * `unavailable`, so the handler does whatever it does without an answer; steps run, files are the operator's directories, and
 * the model is the operator's, if any.
 */

import { Run } from '../engine/index.ts';
import { lazyFileAccess } from '../files/index.ts';
import type { CallRun, Outgoing } from '../questions/index.ts';
import { type Call, type CallRequest, type Config, processUser } from '../request/index.ts';
import { makeCall } from './handle.ts';

const nobody: CallRequest['client'] = {
  asks: 'none',
  can: { form: false, url: false, roots: false, sampling: false, samplingTools: false },
  announcesRoots: false,
  firstForms: false,
  apps: false,
  tasks: false,
};

/** @param mayFallBack - whether a question's own fallback may stand in for its answer */
export async function runUnattended<R>(
  handler: (call: Call) => R | Promise<R>,
  mayFallBack: boolean,
  config: Config,
): Promise<R> {
  const request = {
    client: nobody,
    registered: { method: 'tools/call', version: '', mayFallBack },
    principal: processUser(),
    name: '',
  } as const;
  const files = lazyFileAccess(config).ofNobody;
  const run = new Run<R, Outgoing>(
    of => {
      const surroundings = {
        config: { ...config, channels: [] },
        request,
        flow: config.id(),
        roundsLeft: 0,
        outlivesRequest: false,
        audit: () => {},
        misused: undefined,
        files: () => files,
        client: () => undefined,
        listener: undefined,
        pages: undefined,
        approvals: undefined,
      };
      return handler(makeCall(of as CallRun, surroundings));
    },
    [],
    new Set(),
    { clock: config.clock },
  );
  const outcome = await run.next();
  if (outcome.kind === 'done') return outcome.result;
  throw outcome.kind === 'failed' ? outcome.error : new Error('A run without a client has nobody to ask.');
}
