/** What the desk needs of a connection: of one of its own, or of one that another process has and shows here. */
import type { Connection } from '../../index.ts';

/** Whether the host that made a call in another process still waits for its person. */
export interface HostWait {
  /** The host, in its own words, which are untrusted. */
  readonly host: string;
  /**
   * `waits`: for the person; `left`: was told to call again once they have answered; `served`: came back, and has the result;
   * `lost`: did not come back, and gets the result no more.
   */
  readonly state: 'waits' | 'left' | 'served' | 'lost';
  /** Until when it waits, in milliseconds since the epoch; absent if nothing limits that. */
  readonly until?: number;
}

/** A server as the desk shows it, whichever process runs it. */
export interface DeskConnection
  extends Pick<
    Connection,
    | 'entry'
    | 'origin'
    | 'state'
    | 'problem'
    | 'server'
    | 'stderr'
    | 'account'
    | 'start'
    | 'stop'
    | 'restart'
    | 'resume'
    | 'catalogue'
    | 'run'
    | 'cancel'
    | 'forward'
    | 'isSignedIn'
    | 'signOut'
    | 'subscribe'
  > {
  readonly wire: Pick<Connection['wire'], 'subscribe'>;
  /** The host whose bridge has the connection, in its own words, which are untrusted; absent for one of the desk's own. */
  readonly elsewhere?: string;
}
