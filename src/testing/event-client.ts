import { until } from './until.ts';

/** An event as a client of a stream receives it. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: never;
}

/** A client of an event stream over HTTP. */
export class EventClient {
  readonly response: Response;
  readonly events: ReceivedEvent[] = [];
  /** The last id that it received, for `Last-Event-ID`. */
  lastId: string | undefined;
  /** Whether the service has ended the stream, and whether it did so properly. */
  ended: 'whole' | 'cut' | undefined;
  readonly #client: AbortController;

  private constructor(response: Response, client: AbortController) {
    this.response = response;
    this.#client = client;
    this.#read().then(
      () => {
        this.ended = 'whole';
      },
      () => {
        this.ended = 'cut';
      },
    );
  }

  static async connect(url: string, headers: Record<string, string>, lastId?: string): Promise<EventClient> {
    const client = new AbortController();
    const response = await fetch(url, {
      headers: { ...headers, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: client.signal,
    });
    return new EventClient(response, client);
  }

  async #read(): Promise<void> {
    let text = '';
    for await (const chunk of this.response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.#receive(block);
    }
  }

  #receive(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0]!, line.replace(/^\w+: /, '')]),
    );
    this.lastId = fields.get('id') ?? this.lastId;
    const event = fields.get('event');
    if (event !== undefined) this.events.push({ event, data: JSON.parse(fields.get('data') ?? '') as never });
  }

  /** The data of the events of a name. */
  dataOf(name: string): never[] {
    return this.events.filter(({ event }) => event === name).map(({ data }) => data);
  }

  /** Waits until the present state has been received. */
  async isCurrent(): Promise<this> {
    await until(() => this.dataOf('current').length > 0, 'the present state of the site');
    return this;
  }

  close(): void {
    this.#client.abort();
  }
}
