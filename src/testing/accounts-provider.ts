import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { OidcConfig } from '../config.ts';
import { listening } from './listening.ts';

export interface ProviderAccount {
  readonly email: string;
  readonly isVerified: boolean;
}

/** A real OpenID Connect provider on this machine, with accounts by their subjects. */
export interface AccountsProvider {
  readonly config: OidcConfig;
  /** Signs in at the provider as a user's browser does; the query that it is sent back with. */
  signIn(url: string, subject: string): Promise<string>;
  close(): Promise<void>;
}

export async function accountsProvider(
  accounts: Readonly<Record<string, ProviderAccount>>,
  returnAddress: string,
): Promise<AccountsProvider> {
  const server = createServer();
  const { url: issuer, close } = await listening(server);
  const client = { client_id: 'facteur', client_secret: 'a secret of the tests' };
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [returnAddress], response_types: ['code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, id) => {
      const account = accounts[id];
      return (
        account && {
          accountId: id,
          claims: () => ({ sub: id, email: account.email, email_verified: account.isVerified }),
        }
      );
    },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
  });
  server.on('request', provider.callback());
  return {
    config: { issuer, clientId: client.client_id, clientSecret: client.client_secret, name: 'Verger' },
    signIn: (url, subject) => new ProviderBrowser(returnAddress).signIn(url, subject),
    close,
  };
}

/** Follows redirections, keeps cookies and fills in the provider's forms. */
class ProviderBrowser {
  readonly #cookies = new Map<string, string>();
  readonly #returnAddress: string;

  constructor(returnAddress: string) {
    this.#returnAddress = returnAddress;
  }

  async signIn(start: string, subject: string): Promise<string> {
    let [url, form]: [string, Record<string, string> | undefined] = [start, undefined];
    for (let step = 0; step < 20; step++) {
      const response = await this.#request(url, form);
      const location = response.headers.get('location');
      if (location === null) {
        // A page: the provider asks who it is, then whether the client may know.
        const isLogin = (await response.text()).includes('name="login"');
        form = isLogin ? { prompt: 'login', login: subject, password: 'x' } : { prompt: 'consent' };
        continue;
      }
      url = new URL(location, url).href;
      form = undefined;
      if (url.startsWith(this.#returnAddress)) return new URL(url).search.slice(1);
    }
    throw new Error('The provider did not send the browser back');
  }

  async #request(url: string, form: Record<string, string> | undefined): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      this.#cookies.set(name!, value!);
    }
    return response;
  }
}
