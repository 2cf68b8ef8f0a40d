/**
 * `call.sample` and `call.sampleWithTools`. The request goes to the client's model, where the client has one and its era
 * allows it; else to a model the operator gave this server; else it is refused. Every rule is checked before sending and
 * again on the reply. Replies and tool results are recorded, so a replay samples nothing and runs no tool again.
 */
import { MidcallError } from '../errors.ts';
import {
  advanceToolLoop,
  answerToolUse,
  checkRequest,
  checkResult,
  describeIssues,
  type SamplingMessage,
  type SamplingRequest,
  type SamplingResult,
  type SamplingTool,
  startToolLoop,
  type ToolLoopLimits,
  type ToolResultContent,
} from '../sampling/index.ts';
import type { Config } from './config.ts';
import type { Json } from './digest.ts';
import type { Run } from './engine.ts';
import { missingCapability, type WireAsk } from './era.ts';
import type { CallRequest } from './request.ts';

/** What `call.sampleWithTools` takes: a request, the tools as code, and limits. */
export interface ToolSamplingRequest extends Omit<SamplingRequest, 'tools' | 'includeContext'>, ToolLoopLimits {
  readonly tools: readonly SamplingTool[];
  /** Milliseconds for each reply; the server's `askTimeoutMs` where absent. */
  readonly timeoutMs?: number;
}

/** What `call.sample` takes. */
export interface PlainSamplingRequest extends Omit<SamplingRequest, 'includeContext'> {
  /** Milliseconds for the reply; the server's `askTimeoutMs` where absent. */
  readonly timeoutMs?: number;
}

/** What a tool loop came to. */
export interface ToolSamplingResult {
  readonly result: SamplingResult;
  /** The whole conversation, the final reply included. */
  readonly messages: readonly SamplingMessage[];
  readonly iterations: number;
}

export interface Sampler {
  sample(request: PlainSamplingRequest): Promise<SamplingResult>;
  sampleWithTools(request: ToolSamplingRequest): Promise<ToolSamplingResult>;
}

interface Reply {
  readonly result: unknown;
  readonly ms: number;
}

export function sampler(run: Run<unknown>, request: CallRequest, config: Config): Sampler {
  const { client } = request;
  const native = client.can.sampling && (client.asks === 'push' || (client.asks === 'rounds' && config.samplingOn2026));
  let warned = false;
  let ownRuns = 0;

  async function viaClient(params: SamplingRequest, timeoutMs: number): Promise<Reply> {
    if (client.asks === 'rounds' && !warned) config.warnOnce('sampling', deprecated);
    warned = true;
    const detail: WireAsk = { method: 'sampling/createMessage', params: { ...params }, timeoutMs };
    const label = 'sampling/createMessage';
    const { value } = await run.ask({ kind: 'sample', identity: params, label, detail });
    const recorded = value as { got?: Json; none?: string; code?: number; ms: number };
    if (recorded.got !== undefined) return { result: recorded.got, ms: recorded.ms };
    throw failed(recorded);
  }

  async function viaOwnModel(params: SamplingRequest): Promise<Reply> {
    const model = config.samplingModel;
    if (!model) {
      throw missingCapability(
        'none',
        { sampling: {} },
        'This needs a language model: the client offers none to servers' +
          (client.can.sampling ? ' in a way this server may use on 2026-07-28' : '') +
          ', and this server has none of its own.',
      );
    }
    ownRuns++;
    const replied = await run.step(`model reply ${ownRuns}`, () => ({
      async run() {
        const begun = config.now();
        const { result } = await model.run(params, { signal: run.signal });
        return { result, ms: config.now() - begun };
      },
      idempotent: true,
    }));
    return replied as unknown as Reply;
  }

  const reply = (params: SamplingRequest, timeoutMs: number): Promise<Reply> =>
    native ? viaClient(params, timeoutMs) : viaOwnModel(params);

  return {
    async sample({ timeoutMs = config.askTimeoutMs, ...params }) {
      const offered = native ? { tools: client.can.samplingTools ? {} : undefined } : { tools: {} };
      const checked = checkRequest(params, offered);
      if (!checked.ok) throw new MidcallError('sampling/invalid', describeIssues(checked.issues));
      const { result } = await reply(checked.value, timeoutMs);
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
      if (native && !client.can.samplingTools) {
        throw new MidcallError(
          'sampling/unavailable',
          "The client's model takes no tools (it does not declare sampling.tools).",
        );
      }
      const limits: ToolLoopLimits = {
        ...(maxIterations === undefined ? {} : { maxIterations }),
        ...(maxTotalTokens === undefined ? {} : { maxTotalTokens }),
        ...(maxElapsedMs === undefined ? {} : { maxElapsedMs }),
      };
      const definitions = tools.map(tool => tool.definition);
      let step: ReturnType<typeof advanceToolLoop> = startToolLoop({ ...params, tools: definitions }, limits);
      // Time is added up from what was recorded, so that a replay comes to the same end.
      let elapsedMs = 0;
      for (let round = 1; ; round++) {
        if (step.next === 'done') return { result: step.result, messages: step.messages, iterations: step.iterations };
        if (step.next === 'refused') {
          throw new MidcallError(step.why === 'reply' ? 'sampling/invalid' : 'sampling/limit', step.message);
        }
        if (step.next === 'sample') {
          const { result, ms } = await reply(step.request, timeoutMs);
          elapsedMs += ms;
          step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs });
          continue;
        }
        const begun = config.now();
        const ran = await Promise.all(
          step.uses.map((use, index) =>
            run.step(`tool ${round}.${index + 1} ${use.name}`, () => ({
              async run() {
                const result = await answerToolUse(tools, use, { signal: run.signal });
                return { result, ms: config.now() - begun };
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

const deprecated =
  'midcall: asking the client for its model on 2026-07-28, where sampling is deprecated; see docs/sampling.md for what to use instead.';

function failed(recorded: { none?: string; code?: number }): MidcallError {
  if (recorded.none === 'timeout') return new MidcallError('sampling/unavailable', 'The client did not reply in time.');
  // client/sampling, "Error Handling": -1 is the person's refusal.
  if (recorded.code === -1) return new MidcallError('sampling/refused', 'The person refused to let the model be used.');
  return new MidcallError('sampling/unavailable', 'The client could not get a reply from its model.');
}
