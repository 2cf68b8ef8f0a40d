export interface NotesApiOptions {
  /** The authorization server, and this service's client there: it may introspect tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By person. */
  readonly notes: Readonly<
    Record<string, readonly { readonly id: string; readonly title: string; readonly text: string }[]>
  >;
  /** A free one where absent. */
  readonly port?: number;
}

export interface NotesApi {
  readonly address: URL;
  /** The status of every answer so far. */
  readonly requests: readonly number[];
  close(): Promise<void>;
}

export function startNotesApi(options: NotesApiOptions): Promise<NotesApi>;
