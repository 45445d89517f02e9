import { languageOf } from '../contents/page-language.ts';
import type { App } from '../platform/app.ts';
import { maskedEmail, type PageFrame } from './pages.ts';
import type { SentCopies } from './sent-copy.ts';
import type { TrackedRequest } from './tracked-request.ts';

/** Makes the frames of pages: a message's sender, the masked address, its looks and its language. */
export class PageFrames {
  readonly #app: App;
  readonly #copies: SentCopies;

  constructor(app: App, copies: SentCopies) {
    this.#app = app;
    this.#copies = copies;
  }

  /** The frame of a message's pages. Without the database it is plain, in the reader's language. */
  async of({ token, request }: Pick<TrackedRequest, 'token' | 'request'>): Promise<PageFrame> {
    const language = languageOf(request.headers['accept-language']);
    try {
      const about = await this.#copies.about(token);
      if (!about) return { language };
      const { sender, email, looks } = about;
      return {
        language: looks.pageLanguage || language,
        sender,
        ...(email !== undefined && { email: maskedEmail(email) }),
        color: looks.pageColor,
        logo: looks.pageLogo,
      };
    } catch (error) {
      this.#app.log.warn({ err: error, idSite: token.idSite }, 'page shown without its sender');
      return { language };
    }
  }
}
