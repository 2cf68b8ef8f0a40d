/** The code of docs/observability.md: an audit log of a server as JSON lines, and a check of a host's. */
// #region verify
import { readFileSync } from 'node:fs';
import { verifyAudit } from '@midcall/host';
// #endregion
import { type Midcall, midcall, type WaitingCall } from '@midcall/server';

export function audited(write: (line: string) => void) {
  // #region server
  const mid = midcall({
    audit: event => write(JSON.stringify(event)), // every event waits for it
  });
  // #endregion
  return mid;
}

export function reported(
  report: (failure: { tool: string | undefined; flow: string | undefined; stack: string }) => void,
) {
  // #region errors
  const mid = midcall({
    onError(error, call) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ tool: call?.name, flow: call?.flow, stack }); // no call: a registration failed
    },
  });
  // #endregion
  return mid;
}

export function checked(path: string) {
  // #region verify
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const verdict = verifyAudit(lines);
  const said = verdict.ok ? `${verdict.entries} entries, none changed` : `line ${verdict.line}: ${verdict.why}`;
  // #endregion
  return said;
}

export async function endStale(mid: Midcall, before: number): Promise<readonly WaitingCall[]> {
  // #region waiting
  const calls = await mid.calls();
  const stale = calls.filter(call => call.kind === 'task' && call.since < before);
  for (const { id } of stale) await mid.cancel(id);
  // #endregion
  return stale;
}
