// A list that comes in pages. Awaited, it is its first page; iterated, it is every item of every page.
export type List<Item> = { object: string; data: Item[]; hasMore: boolean; nextCursor: string | null };

export class Pages<Item, Page extends List<Item> = List<Item>>
  implements PromiseLike<Page>, AsyncIterable<Item>
{
  readonly #read: (cursor?: string) => Promise<Page>;
  #first: Promise<Page> | undefined;

  constructor(read: (cursor?: string) => Promise<Page>) {
    this.#read = read;
  }

  /** The first page, asked for once. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gives its first page
  then<A = Page, B = never>(
    done?: ((page: Page) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read();
    return this.#first.then(done, failed);
  }

  /** Page by page, each asked for when the one before it was used. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for (let page: Page = await this; ; page = await this.#read(page.nextCursor)) {
      yield page;
      if (!page.hasMore || page.nextCursor === null) return;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
