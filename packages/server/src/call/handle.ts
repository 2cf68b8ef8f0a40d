/**
 * The object a handler is given for one run of the engine. All of its operations go through the run, so that none starts while
 * the run is held. Parts that most handlers never use are created lazily, since many calls may be waiting at once.
 */
import { isMidcallError, type MidcallErrorCode } from '@midcall/core/errors';
import { Operations } from '../engine/index.ts';
import { type Listener, tellProgress } from '../eras/index.ts';
import type { FileAccess } from '../files/index.ts';
import {
  Asker,
  type AskerOptions,
  type CallRun,
  checkProgress,
  gatewayConsent,
  type Sampler,
  sampler,
} from '../questions/index.ts';
import { type AboutClient, type Call, type GatewayCall, whenDetached } from '../request/index.ts';
import { Steps } from './take-step.ts';
import { tellLog } from './tell-log.ts';

export interface HandleOptions extends AskerOptions {
  /** The same in every round of the call. */
  readonly flow: string;
  /** See {@link GatewayCall.roundsLeft}. */
  readonly roundsLeft: number;
  /** See {@link GatewayCall.outlivesRequest}. */
  readonly outlivesRequest: boolean;
  /** The roots and files of one run. */
  readonly files: () => FileAccess;
  readonly client: () => AboutClient | undefined;
  /** Sends messages to the client; undefined if the call has none. */
  readonly listener: Listener | undefined;
}

export const makeCall = (run: CallRun, options: HandleOptions): GatewayCall => new Handle(run, options);

/** Its operations are standalone functions, not methods: a handler may destructure its call. */
class Handle implements GatewayCall {
  readonly #run: CallRun;
  readonly #options: HandleOptions;
  #asker: Asker | undefined;
  #access: FileAccess | undefined;
  #sampler: Sampler | undefined;
  #steps: Steps | undefined;
  #operations: Operations | undefined;

  constructor(run: CallRun, options: HandleOptions) {
    this.#run = run;
    this.#options = options;
  }

  get elicit(): GatewayCall['elicit'] {
    const asker = this.#asking();
    return (ask, withdrawn) => this.#watch('a question', asker.elicit(ask, withdrawn));
  }

  get wizard(): Call['wizard'] {
    const asker = this.#asking();
    return ask => this.#watch('a wizard', asker.wizard(ask));
  }

  get elicitUrl(): Call['elicitUrl'] {
    const asker = this.#asking();
    return ask => this.#watch('a question on a page', asker.elicitUrl(ask));
  }

  get consent(): GatewayCall['consent'] {
    const { config, request, audit } = this.#options;
    return (page, withdrawn) =>
      this.#watch('a page of another server', gatewayConsent(this.#run, config, request, audit, page, withdrawn));
  }

  get roots(): Call['roots'] {
    return () => this.#watch('roots', this.#files().roots(this.#run));
  }

  get files(): Call['files'] {
    return () => this.#watch('files', this.#files().files(this.#run));
  }

  get sample(): Call['sample'] {
    return request => this.#watch('sample', this.#sampling().sample(request));
  }

  get sampleWithTools(): Call['sampleWithTools'] {
    return request => this.#watch('sampleWithTools', this.#sampling().sampleWithTools(request));
  }

  get step(): Call['step'] {
    const steps = this.#stepping();
    return (name, work, options) => this.#watch(`step '${name}'`, steps.take(name, work, options)) as never;
  }

  get now(): Call['now'] {
    const { clock } = this.#options.config;
    return () =>
      this.#watch(
        'call.now',
        this.#stepping().draw('now', () => clock.now()),
      );
  }

  get random(): Call['random'] {
    return () => this.#watch('call.random', this.#stepping().draw('random', Math.random));
  }

  get uuid(): Call['uuid'] {
    return () =>
      this.#watch(
        'call.uuid',
        this.#stepping().draw('uuid', () => crypto.randomUUID()),
      );
  }

  get sleep(): Call['sleep'] {
    return until => this.#watch('call.sleep', this.#stepping().sleep(until));
  }

  get defer(): Call['defer'] {
    return work => this.#run.defer(work);
  }

  get log(): Call['log'] {
    const { listener, config } = this.#options;
    return (level, data, logger) => tellLog(listener, config, this.#run, { level, data, logger });
  }

  get progress(): Call['progress'] {
    const { listener } = this.#options;
    return (progress, of = {}) => {
      checkProgress(progress, of);
      if (listener && this.#run.say(['progress', progress, of])) tellProgress(listener, progress, of);
    };
  }

  get auth(): Call['auth'] {
    return this.#options.listener?.ctx.http?.authInfo;
  }

  get request(): Call['request'] {
    const { ctx } = this.#options.listener ?? {};
    return { headers: ctx?.http?.req?.headers, meta: ctx?.mcpReq._meta ?? {} };
  }

  get can(): Call['can'] {
    return this.#options.request.client.can;
  }

  get client(): Call['client'] {
    return this.#options.client();
  }

  get principal(): Call['principal'] {
    return this.#options.request.principal;
  }

  get roundsLeft(): number {
    return this.#options.roundsLeft;
  }

  get outlivesRequest(): boolean {
    return this.#options.outlivesRequest;
  }

  get onTask(): GatewayCall['onTask'] {
    const { ctx } = this.#options.listener ?? {};
    return listener => ctx && whenDetached(ctx, listener);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  #watch<T>(label: string, work: Promise<T>): Promise<T> {
    if (!this.#operations) {
      this.#operations = new Operations();
      this.#run.operations = this.#operations;
    }
    const { misused } = this.#options;
    if (misused) work.catch(error => isMisuse(error) && misused(error));
    return this.#operations.watch(label, work);
  }

  #stepping(): Steps {
    this.#steps ??= new Steps(this.#run, this.#options);
    return this.#steps;
  }

  #asking(): Asker {
    this.#asker ??= new Asker(this.#run, this.#options);
    return this.#asker;
  }

  #files(): FileAccess {
    this.#access ??= this.#options.files();
    return this.#access;
  }

  #sampling(): Sampler {
    this.#sampler ??= sampler(this.#run, this.#options.request, this.#options.config);
    return this.#sampler;
  }
}

/** A mistake for the author to fix; reported even if a handler catches it and continues. */
const misuses: ReadonlySet<MidcallErrorCode> = new Set<MidcallErrorCode>([
  'server/setup',
  'form/unsupported',
  'form/secret',
  'ask/nested',
  'step/not-json',
]);

/** A wrong option is a TypeError; an error thrown by a step arrives as a copy, which is not one. */
const isMisuse = (error: unknown): boolean =>
  error instanceof TypeError || (isMidcallError(error) && misuses.has(error.code));
