/**
 * What a revision of the protocol does differently, on the host's side: questions of fact about a connection. No other file of
 * the host names a revision. A newer revision is treated as the newest known one: a server that negotiated it has agreed to
 * what both sides know.
 */
import type { VersionNegotiationOptions } from '@modelcontextprotocol/client';

/** Which rules a connection follows: pushed questions (2025-11-25) or rounds (2026-07-28). */
export type Era = '2025-11-25' | '2026-07-28';

const pushing = '2025-11-25';
const inRounds = '2026-07-28';
export const eras: readonly Era[] = [pushing, inRounds];

/** @param revision - as negotiated; undefined before that, and on connections that never negotiated */
export const eraOf = (revision: string | undefined): Era =>
  revision !== undefined && revision >= inRounds ? inRounds : pushing;

/** True if the server sends requests of its own and waits for their answers; otherwise questions are results of our calls. */
export const serverSendsRequests = (era: Era): boolean => era === pushing;

/** True if a call can be resumed in another process, because all of its state is in what the server returned. */
export const callsOutliveProcess = (era: Era): boolean => era === inRounds;

/** True if a URL question has an id that its completion notification names, and error -32042 exists. */
export const hasElicitationIds = (era: Era): boolean => era === pushing;

/** True if a sampling result without tools is a single block. */
export const samplesSingleBlock = (era: Era): boolean => era === pushing;

/** True if the server may be told that the folders have changed. */
export const hearsRootsChanged = (era: Era): boolean => era === pushing;

/** True if a call says itself that it may become a task, with a parameter; otherwise the server decides. */
export const callsNameTasks = (era: Era): boolean => era === pushing;

/** True if a server sends log messages only for a request that asks for them. */
export const logsOnRequest = (era: Era): boolean => era === inRounds;

/** True if each result names its type, and each list how long it may be kept. */
export const resultsHaveTypes = (era: Era): boolean => era === inRounds;

/** What the SDK's client negotiates. */
export const negotiationOf = (era: 'auto' | Era): NonNullable<VersionNegotiationOptions['mode']> =>
  era === 'auto' ? 'auto' : era === inRounds ? { pin: era } : 'legacy';

/** As {@link negotiationOf}, for a server that exits when it is asked which revision it speaks. */
export const unprobed = 'legacy' satisfies VersionNegotiationOptions['mode'];
