/** Opens a request of a session that several processes serve: the state of its call, and the claim it is run under. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { digest } from '../base/index.ts';
import { type CallRequest, principalKey, type SharedCall, type SharedOutcome } from '../request/index.ts';
import { begins, type OpenedCall } from './open-retry.ts';

/** @throws ProtocolError -32602 if the call was opened by somebody else, or its handler has changed since */
export async function openShared(shared: SharedCall, request: CallRequest): Promise<OpenedCall> {
  const { binding, principal } = request;
  const { caller, journal, earlier } = await shared.open({ binding: digest(binding), principal });
  const begun = begins(shared.flow);
  if (caller.binding !== digest(binding) || principalKey(caller.principal) !== principalKey(principal)) {
    const data = { reason: 'handler_changed' };
    const message =
      'This call was started by somebody else, or its tool, prompt or resource has changed since. Start the call again.';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
  }
  return {
    ...begun,
    ...(earlier !== undefined && { earlier }),
    journal,
    attempt: {
      first: shared.first,
      holds: () => shared.holds(),
      answer: outcome => shared.settle(outcome as SharedOutcome),
      abandon: async () => {},
      forget: async () => {},
    },
    stepStore: shared.stepStore,
    retentionMs: shared.retentionMs,
    shared,
  };
}
