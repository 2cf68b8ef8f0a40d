/** What the desk needs of a connection: of one of its own, or of one that another process has and shows here. */
import type { Connection } from '../../index.ts';

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
