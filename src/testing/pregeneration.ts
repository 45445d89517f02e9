import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { makeTarget } from './campaign-makers.ts';
import { programmed } from './sending-campaign.ts';

/** Campaigns with a header, a footer, a content block and an advertisement, and their jobs. */
export class Pregeneration {
  readonly #t: TestApp;

  constructor(t: TestApp) {
    this.#t = t;
  }

  async block(contentValue: string): Promise<void> {
    await this.#t.call('PUT', '/content-blocks', { body: { contentKey: 'offer', contentValue } });
  }

  /** Creates a campaign whose block is “Block”; returns its id. */
  async campaign(before = '[[FLD.1]]'): Promise<number> {
    await this.block('Block');
    const idConfiguration = await this.#made('/sending-configurations', {
      name: 'News',
      senderEMail: 'news@example.com',
      responseEMail: 'answers@example.com',
      headerHtml: '<p>Head</p>',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
    });
    const id = await this.#made('/campaigns', {
      parameters: { name: 'Spring', subject: 'Hello', idConfiguration },
      htmlContent: `<p>${before} <b>[[BLOC.offer]]</b> [[ENCART.1]] <a href="https://shop.example/">x</a></p>`,
    });
    const idTarget = await makeTarget(this.#t.db);
    await this.#made(`/campaigns/${id}/segments`, { name: 'All', idTarget, percent: 100, fixedValues: 0 });
    const idAdvertisement = await this.#made('/advertisements', { name: 'Ad', html: '<i>Ad</i>' });
    const body = { position: 1, idAdvertisement };
    await this.#t.call('PUT', `/campaigns/${id}/segments/0/advertisement`, { body });
    await this.#t.call('POST', '/campaigns/tracked-links', { body: id });
    return id;
  }

  /** A campaign whose job has been generated; nothing has left. */
  async generated(): Promise<{ id: number; idJob: number; idSent: number }> {
    const id = await this.campaign();
    const { idJob, generate } = await programmed(this.#t, id);
    await generate();
    const sents = (await this.#t.call('GET', `/campaigns/${id}/sendings`)).data as { idSent: number }[];
    return { id, idJob, idSent: sents[0]!.idSent };
  }

  async #made(path: string, body: object): Promise<number> {
    const reply = await this.#t.call('POST', path, { body });
    expect([path, reply.status, reply.error]).toEqual([path, 200, null]);
    return typeof reply.data === 'number' ? reply.data : (reply.data as { id: number }).id;
  }
}
