/** Loads {@link sampler} with the first request to a model: most servers make none. */
import type { CallRequest, Config } from '../request/index.ts';
import type { CallRun } from './outgoing.ts';
import type { Sampler } from './sampler.ts';

export function lazySampler(run: CallRun, request: Pick<CallRequest, 'client'>, config: Config): Sampler {
  let loaded: Promise<Sampler> | undefined;
  // No round may leave while this loads: its questions belong to the same one.
  const load = (): Promise<Sampler> =>
    run.guarded(() => {
      loaded ??= import('./sampler.ts').then(({ sampler }) => sampler(run, request, config));
      return loaded;
    });
  return {
    sample: async asked => (await load()).sample(asked),
    sampleWithTools: async asked => (await load()).sampleWithTools(asked),
  };
}
