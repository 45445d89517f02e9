import { type TestApp, testApp } from './app.ts';
import { Authenticator } from './authenticator.ts';
import { personPassword } from './make-session.ts';

/** A service at an address where browsers have passkeys, and the calls that concern them. */
export class Passkeys {
  static readonly origin = 'https://mail.example';
  readonly t: TestApp;
  readonly authenticator = new Authenticator(Passkeys.origin);

  private constructor(t: TestApp) {
    this.t = t;
  }

  static async open(): Promise<Passkeys> {
    return new Passkeys(await testApp({ publicUrl: Passkeys.origin }));
  }

  /** A call of a page of the service, with a session or without. */
  async call(method: 'GET' | 'POST' | 'DELETE', path: string, session: string | null, body?: object) {
    const response = await this.t.server.inject({
      method,
      url: `/v1${path}`,
      headers: {
        origin: Passkeys.origin,
        host: 'mail.example',
        ...(session !== null && { cookie: `__Host-facteur_session=${session}` }),
      },
      ...(body && { payload: body }),
    });
    return { status: response.statusCode, headers: response.headers, ...response.json() };
  }

  start(session: string, currentPassword: string | null = personPassword) {
    return this.call('POST', '/me/passkeys/start', session, { currentPassword });
  }

  async add(session: string, name = 'My laptop', authenticator = this.authenticator) {
    const { data } = await this.start(session);
    return this.call('POST', '/me/passkeys', session, { name, ...authenticator.create(data) });
  }

  async signIn(authenticator = this.authenticator) {
    const { data } = await this.call('POST', '/session/passkey/start', null);
    return this.call('POST', '/session/passkey', null, authenticator.sign(data));
  }
}
