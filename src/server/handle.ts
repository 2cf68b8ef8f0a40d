/**
 * What a handler holds over one run of the engine. Every operation of it goes through the run, so that none starts while
 * the run is held. What most handlers never use is made when it is used, since many calls may wait at once.
 */
import { Asker, type AskerOptions } from './asker.ts';
import type { Call, StepContext, StepOptions } from './call.ts';
import { digest } from './digest.ts';
import type { Run } from './engine.ts';
import type { FileAccess } from './file-access.ts';
import { observed } from './observe.ts';
import { type Sampler, sampler } from './sampler.ts';

export interface HandleOptions extends AskerOptions {
  /** The same in every round of the call. */
  readonly flow: string;
  /** The roots and files of one run. */
  readonly files: () => FileAccess;
}

export const makeCall = (run: Run<unknown>, options: HandleOptions): Call => new Handle(run, options);

/** Its operations are functions of their own, not methods: a handler may take its call apart. */
class Handle implements Call {
  readonly elicit: Call['elicit'];
  readonly elicitUrl: Call['elicitUrl'];
  readonly roots: Call['roots'];
  readonly files: Call['files'];
  readonly sample: Call['sample'];
  readonly sampleWithTools: Call['sampleWithTools'];
  readonly step: Call['step'];
  readonly defer: Call['defer'];
  readonly can: Call['can'];
  readonly principal: Call['principal'];
  readonly #run: Run<unknown>;

  constructor(run: Run<unknown>, options: HandleOptions) {
    const { request, config } = options;
    const asker = new Asker(run, options);
    let access: FileAccess | undefined;
    let ownSampler: Sampler | undefined;
    const reached = (): FileAccess => {
      access ??= options.files();
      return access;
    };
    const sampling = (): Sampler => {
      ownSampler ??= sampler(run, request, config);
      return ownSampler;
    };
    this.#run = run;
    this.elicit = ask => asker.elicit(ask);
    this.elicitUrl = ask => asker.elicitUrl(ask);
    this.roots = () => reached().roots(run);
    this.files = () => reached().files(run);
    this.sample = asked => sampling().sample(asked);
    this.sampleWithTools = asked => sampling().sampleWithTools(asked);
    this.step = (name, work, given) => takeStep(run, options, name, work, given) as never;
    this.defer = work => run.defer(work);
    this.can = request.client.can;
    this.principal = request.principal;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}

function takeStep(
  run: Run<unknown>,
  { config, flow }: HandleOptions,
  name: string,
  work: (context: StepContext) => unknown,
  { check, idempotent = false, effect = false }: StepOptions<unknown> = {},
): Promise<unknown> {
  return run.step(name, id => {
    const context: StepContext = {
      key: digest([flow, id]),
      get signal() {
        return run.signal;
      },
    };
    return {
      run: () => (effect ? observed(config.observe, run, { by: 'step', name }, () => work(context)) : work(context)),
      idempotent,
      ...(check ? { check: () => check(context) } : {}),
    };
  });
}
