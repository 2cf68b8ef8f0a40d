/**
 * What a schema library says about an answer: asked once per answer that arrives, and recorded in the call's journal. A library
 * may consult the outside world ("is this seat free?"), and the handler may have changed the world by the next replay ("it is
 * ours now"), so a replay trusts the record.
 */

import { MidcallError } from '@midcall/core/errors';
import type { Checked, Issue, Judging } from '@midcall/core/form';
import { canonical, jsonLoss, lossText } from '@midcall/core/json';
import type { Json } from '../base/index.ts';
import type { Run } from '../engine/index.ts';

/** As stored in the journal; content that the library left unchanged is not stored twice. */
type Recorded =
  | { readonly ok: true; readonly same: true }
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * @param message - the question, for error texts
 * @param identity - distinguishes this answer from all others of the call
 */
export const recordedCheck =
  (run: Pick<Run<unknown>, 'step'>, message: string, identity: unknown): Judging =>
  async (judge, content) => {
    const recorded = (await run.step(
      message,
      () => ({ run: async () => asRecord(await judge(), content), idempotent: true }),
      { kind: 'check', identity },
    )) as unknown as Recorded;
    if (!recorded.ok) return recorded;
    return { ok: true, value: 'same' in recorded ? content : recorded.value };
  };

/** @throws MidcallError `form/unsupported` if the library made something of the answer that JSON would lose */
function asRecord(checked: Checked<unknown>, content: unknown): Recorded {
  if (!checked.ok) return checked;
  const { value } = checked;
  const loss = jsonLoss(value, 'content', { asItIs: true });
  if (loss) {
    throw new MidcallError(
      'form/unsupported',
      `The schema of this form makes ${lossText({ ...loss, instead: 'Leave the field as it is there, and convert it in the handler.' })}`,
    );
  }
  if (value === undefined) return { ok: true };
  return canonical(value) === canonical(content) ? { ok: true, same: true } : { ok: true, value: value as Json };
}
