export { copyJson, digest, type Json, shortDigest } from './digest.ts';
export { isPrincipal, type Principal } from './principal.ts';
export {
  hasBatches,
  hasFirstForms,
  hasRounds,
  hasTaskParameter,
  hasUrlMode,
  primesStreams,
  roundsRevision,
} from './revision.ts';
export { noWake, taskName, type Wake } from './wake.ts';
