/**
 * `call.sample` and `call.sampleWithTools`. Every rule is checked before sending and again on the reply. Replies and tool
 * results are recorded, so a replay samples nothing and runs no tool again.
 *
 * - sampler-P1 A request goes to the client's model if the client declares one that takes it and the operator allows asking;
 *   otherwise to the model the operator gave this server; otherwise it is refused as `sampling/unavailable`.
 * - sampler-P2 Every reply has a deadline, even one from our own model.
 * - sampler-P3 A refusal counts as the person's only if the client reports it after somebody can have read the request; a
 *   faster one is the client's, as with forms.
 * - sampler-P4 A loop through rounds of the client ends within the rounds a call has, with its last request free of tools.
 */
import { MidcallError } from '@midcall/core/errors';
import {
  advanceToolLoop,
  answerToolUse,
  checkRequest,
  checkResult,
  describeIssues,
  type SamplingRequest,
  type SamplingResult,
  startToolLoop,
  type ToolLoopLimits,
  type ToolResultContent,
} from '@midcall/core/sampling';
import { documentation } from '@midcall/core/text';
import { runInTime, steadyNow } from '@midcall/core/time';
import { digest, type Json, roundsRevision } from '../base/index.ts';
import type { CallRequest, Config, SampleAsk, SampleWithToolsAsk, ToolSamplingResult } from '../request/index.ts';
import { checkTimeout } from './check-ask.ts';
import type { CallRun, ClientAsk } from './outgoing.ts';
import { type Recording, readRecording } from './recording.ts';

export interface Sampler {
  sample(request: SampleAsk): Promise<SamplingResult>;
  sampleWithTools(request: SampleWithToolsAsk): Promise<ToolSamplingResult>;
}

interface Reply {
  readonly result: unknown;
  readonly ms: number;
}

export function sampler(run: CallRun, request: Pick<CallRequest, 'client'>, config: Config): Sampler {
  const { client } = request;
  const own = config.samplingModel;
  const asks = client.asks === 'push' || (client.asks === 'rounds' && config.samplingOn2026);
  let ownRuns = 0;

  /** sampler-P1: whose model takes the request. */
  function modelFor(tools: boolean): 'client' | 'own' {
    const { sampling, samplingTools } = client.can;
    if (asks && sampling && (samplingTools || !tools)) return 'client';
    if (own && (own.tools || !tools)) return 'own';
    const lacks = !sampling
      ? 'the client offers no model to servers'
      : asks
        ? "the client's model takes no tools (the client does not declare sampling.tools)"
        : "the operator has not allowed asking for the client's model on this protocol revision, where sampling is deprecated";
    const ownModel = own ? "this server's own model takes no tools" : 'this server has no model of its own';
    throw new MidcallError('sampling/unavailable', `This needs a language model: ${lacks}, and ${ownModel}.`);
  }

  async function viaClient(params: SamplingRequest, timeoutMs: number, identity: unknown): Promise<Reply> {
    if (client.asks === 'rounds') config.warnOnce('sampling', deprecated);
    const label = 'sampling/createMessage';
    const detail: ClientAsk = { to: 'client', channel: 'native', method: label, params: { ...params }, timeoutMs };
    const { value } = await run.ask({ kind: 'sample', identity, label, detail });
    const recording = readRecording(value);
    if (recording.kind === 'answered') return { result: recording.got, ms: recording.ms };
    throw failed(recording, config.suspectBelowMs);
  }

  async function viaOwnModel(params: SamplingRequest, timeoutMs: number): Promise<Reply> {
    ownRuns++;
    const replied = await run.step(`model reply ${ownRuns}`, () => ({
      async run() {
        const begun = steadyNow(config.clock);
        // sampler-P2: even if the model ignores its signal.
        const { result } = await runInTime(timeoutMs, config.clock, run.signal, noReply, signal =>
          own!.run(params, { signal }),
        );
        return { result, ms: steadyNow(config.clock) - begun };
      },
      idempotent: true,
    }));
    return replied as unknown as Reply;
  }

  /** The types exclude this; plain JavaScript does not. */
  function warnOfContext(params: object): void {
    const requested = (params as { includeContext?: unknown }).includeContext;
    if (requested !== undefined && requested !== 'none') config.warnOnce('includeContext', contextNeverSent);
  }

  /** @param identity - distinguishes this request from all others of the call */
  const reply = (
    by: 'client' | 'own',
    params: SamplingRequest,
    timeoutMs: number,
    identity: unknown = params,
  ): Promise<Reply> => (by === 'client' ? viaClient(params, timeoutMs, identity) : viaOwnModel(params, timeoutMs));

  return {
    async sample({ timeoutMs = config.askTimeoutMs, ...params }) {
      checkTimeout(timeoutMs, 'sampling/invalid');
      warnOfContext(params);
      const checked = checkRequest(params, { tools: {} });
      if (!checked.ok) throw new MidcallError('sampling/invalid', describeIssues(checked.issues));
      const { tools, toolChoice } = checked.value;
      const { result } = await reply(modelFor((tools ?? toolChoice) !== undefined), checked.value, timeoutMs);
      const judged = checkResult(result, checked.value);
      if (!judged.ok)
        throw new MidcallError('sampling/invalid', `The reply breaks the rules. ${describeIssues(judged.issues)}`);
      return judged.value;
    },

    async sampleWithTools({
      tools,
      timeoutMs = config.askTimeoutMs,
      maxIterations,
      maxTotalTokens,
      maxElapsedMs,
      ...params
    }) {
      checkTimeout(timeoutMs, 'sampling/invalid');
      warnOfContext(params);
      const by = modelFor(true);
      const rounds = by === 'client' && client.asks === 'rounds';
      const limits: ToolLoopLimits = {
        ...(rounds
          ? { maxIterations: Math.min(maxIterations ?? config.maxRounds, config.maxRounds) }
          : maxIterations === undefined
            ? {}
            : { maxIterations }),
        ...(maxTotalTokens === undefined ? {} : { maxTotalTokens }),
        ...(maxElapsedMs === undefined ? {} : { maxElapsedMs }),
      };
      const definitions = tools.map(tool => tool.definition);
      let step: ReturnType<typeof advanceToolLoop> = startToolLoop({ ...params, tools: definitions }, limits);
      // Every later request follows from the first and from what was recorded, so the first and a number tell them apart.
      const loop = digest([step.request as unknown as Json, limits as Json]);
      // Time is summed from the records, so that a replay ends the same way.
      let elapsedMs = 0;
      for (let round = 1; ; round++) {
        if (step.next === 'done') return { result: step.result, messages: step.messages, iterations: step.iterations };
        if (step.next === 'refused') {
          throw new MidcallError(step.why === 'reply' ? 'sampling/invalid' : 'sampling/limit', step.message);
        }
        if (step.next === 'sample') {
          const left = Math.max(1, Math.min(timeoutMs, (maxElapsedMs ?? Infinity) - elapsedMs));
          const { result, ms } = await reply(by, step.request, left, [loop, round]);
          elapsedMs += ms;
          step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs });
          continue;
        }
        const begun = steadyNow(config.clock);
        const ran = await Promise.all(
          step.uses.map((use, index) =>
            run.step(`tool ${round}.${index + 1} ${use.name}`, () => ({
              async run() {
                const result = await answerToolUse(tools, use, { signal: run.signal });
                return { result, ms: steadyNow(config.clock) - begun };
              },
              idempotent: false,
            })),
          ),
        );
        const answers = ran as unknown as readonly { readonly result: ToolResultContent; readonly ms: number }[];
        elapsedMs += Math.max(0, ...answers.map(answer => answer.ms));
        step = advanceToolLoop(step.state, {
          kind: 'results',
          results: answers.map(answer => answer.result),
          elapsedMs,
        });
      }
    },
  };
}

const noReply = (): MidcallError =>
  new MidcallError('sampling/unavailable', "This server's own model did not reply in time.");

const deprecated =
  `midcall: this server asks the client for its model on ${roundsRevision}, where sampling is deprecated. ` +
  `${documentation('sampling.md#for-servers')} says what to use instead.`;

const contextNeverSent =
  'midcall: includeContext is deprecated in the protocol and was not sent; put what the model needs into the messages.';

function failed(recording: Exclude<Recording, { kind: 'answered' }>, suspectBelowMs: number): MidcallError {
  const unavailable = (why: string) => new MidcallError('sampling/unavailable', why);
  if (recording.kind === 'unanswered' && recording.why === 'timeout')
    return unavailable('The client did not reply in time.');
  // client/sampling, "Error Handling": -1 is the person's refusal.
  if (recording.kind !== 'unanswered' || recording.code !== -1)
    return unavailable('The client could not get a reply from its model.');
  if (recording.ms < suspectBelowMs)
    return new MidcallError(
      'sampling/suspect',
      'The client refused before anybody could have read the request, so it could not be told whether a person refused. ' +
        'Tell the person, who may know nothing of it, and do not try again by yourself.',
    );
  // How long it took does not prove that a person answered: the network takes time, too.
  return new MidcallError('sampling/refused', 'The client says that the person refused to let the model be used.');
}
