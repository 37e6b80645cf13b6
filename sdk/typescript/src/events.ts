// The log of events, followed as it grows.
import { EventsApi } from './generated/apis.ts';
import type { Event, EventOf, EventType } from './generated/models.ts';

/** The events a filter lets through: of one type, or of all types of one resource by `message.*`. */
export type EventsOf<Filter extends string> = Filter extends EventType
  ? EventOf<Filter>
  : Filter extends `${infer Noun}.*`
    ? Extract<Event, { type: `${Noun}.${string}` }>
    : Event;

export type FollowOptions<Filter extends string = string> = {
  /** The `sequence` of the last event that was worked on; 0 for everything that is kept. Without it, what happens from now on. */
  after?: number;
  /** An exact type, or `message.*`. */
  type?: Filter;
  /** How long to wait before asking again when there was nothing new; two seconds unless given. */
  everyMs?: number;
  /** Ends the loop. */
  signal?: AbortSignal;
};

export class Events extends EventsApi {
  /**
   * Every event in order, without gap and without end. Keep the `sequence` of each once it is worked on, and give it as `after`
   * to go on from there, in another process too.
   */
  async *follow<Filter extends string = string>(
    options: FollowOptions<Filter> = {},
  ): AsyncGenerator<EventsOf<Filter>, never> {
    const { after, type, everyMs = 2_000, signal } = options;
    let last = after ?? (await this.#newest(signal));
    for (;;) {
      const query = { sort: 'sequence', afterSequence: String(last), limit: 100, type } as const;
      for await (const event of this.list(query, { signal })) {
        yield event as EventsOf<Filter>;
        last = event.sequence;
      }
      await this.client.wait(everyMs, signal);
    }
  }

  async #newest(signal?: AbortSignal): Promise<number> {
    const { data } = await this.list({ limit: 1 }, { signal });
    return data[0]?.sequence ?? 0;
  }
}
