/** LangGraph's memory of checkpoints, kept in a file: in production, use its Postgres or SQLite saver. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type Checkpoint, type CheckpointMetadata, MemorySaver } from '@langchain/langgraph';
import { type ConversationFile, conversationFile } from './conversation-file.ts';

export class CheckpointFile extends MemorySaver {
  readonly #file: ConversationFile;
  #last: Promise<void> = Promise.resolve();

  private constructor(file: ConversationFile) {
    super();
    this.#file = file;
  }

  static async open(path: string): Promise<CheckpointFile> {
    const saver = new CheckpointFile(conversationFile(path));
    const text = await saver.#file.read();
    if (text !== undefined)
      Object.assign(
        saver,
        JSON.parse(text, (_, value) => bytesOf(value)),
      );
    return saver;
  }

  override async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) {
    const kept = await super.put(config, checkpoint, metadata);
    await this.#write();
    return kept;
  }

  override async putWrites(...given: Parameters<MemorySaver['putWrites']>) {
    await super.putWrites(...given);
    await this.#write();
  }

  #write(): Promise<void> {
    const { storage, writes } = this;
    this.#last = this.#last.then(() =>
      this.#file.write(JSON.stringify({ storage, writes }, (_, value) => textOf(value))),
    );
    return this.#last;
  }
}

const textOf = (value: unknown) =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

function bytesOf(value: unknown): unknown {
  const { base64 } = (value ?? {}) as { readonly base64?: unknown };
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : value;
}
