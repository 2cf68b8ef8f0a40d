export { beforeEnd } from './before-end.ts';
export {
  callsNameTasks,
  callsOutliveProcess,
  type Era,
  eraOf,
  eras,
  hasElicitationIds,
  hearsRootsChanged,
  logsOnRequest,
  negotiationOf,
  resultsHaveTypes,
  samplesSingleBlock,
  serverSendsRequests,
  unprobed,
} from './era.ts';
export { Listeners } from './listeners.ts';
