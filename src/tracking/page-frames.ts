import { languageOf } from '../contents/page-language.ts';
import type { App } from '../platform/app.ts';
import { maskedEmail, type PageFrame } from './pages.ts';
import type { SentCopies } from './sent-copy.ts';
import type { TrackedRequest } from './tracked-request.ts';

/** Makes the frames of pages: the sender, the masked address, the looks and the language of a message. */
export class PageFrames {
  readonly #app: App;
  readonly #copies: SentCopies;

  constructor(app: App, copies: SentCopies) {
    this.#app = app;
    this.#copies = copies;
  }

  /** The frame of a message's pages. Without the database the page is shown in the reader's language, plain. */
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
      this.#app.log.warn({ err: error, idSite: token.idSite }, 'a page is shown without its sender');
      return { language };
    }
  }
}
