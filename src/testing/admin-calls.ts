import { operations } from '../api.ts';
import type { TestApp } from './app.ts';
import type { Call } from './id-places.ts';
import { makeInvoice } from './make-invoice.ts';
import type { SftpElsewhere } from './sftp-elsewhere.ts';

const exampleOf = (id: string) => operations.find((one) => one.id === id)!.example as object;

let made = 0;

/**
 * For each operation of the administration a call that reaches its handler, on records rebuilt: a user, a token, a
 * provider, and, of the site `shop`, a key, a route, a domain, and a repository on the server given.
 */
export async function makeAdminCalls(t: TestApp, elsewhere: SftpElsewhere): Promise<Record<string, Call>> {
  const n = ++made;
  const post = async (path: string, body: object) => {
    const { status, error, data } = await t.call('POST', `/admin/v1${path}`, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${error}`);
    return data as { readonly id: number };
  };
  const site = { idsite: 'shop' };
  const domain = { domain: `d${n}.example`, algorithm: 'ed25519-sha256' };
  const provider = {
    name: `Provider ${n}`,
    maxConnections: 1,
    messagesPerHour: 0,
    domains: [`p${n}.example`],
  };
  const route = { ...exampleOf('createRoute'), position: n };
  const user = { name: `User ${n}`, email: `user${n}@example.com` };
  const idUser = (await post('/users', user)).id;
  const token = { ...exampleOf('createToken'), idUser };
  const { details } = (await post('/tokens', token)) as unknown as { details: { id: number } };
  const idRepository = (await post('/sites/shop/repositories', elsewhere.access)).id;
  const key = await post('/sites/shop/sftp-account/public-keys', exampleOf('addSftpPublicKey'));
  const { fingerprint } = key as unknown as { fingerprint: string };
  const idRoute = (await post('/sites/shop/routes', route)).id;
  const idSendingDomain = (await post('/sites/shop/sending-domains', domain)).id;
  const idInvoice = await makeInvoice(t, 'shop', n);
  const idProvider = (await post('/providers', provider)).id;
  const ofSite = { params: site };
  const ofRepository = { params: { ...site, idRepository } };
  return {
    listPostcodes: {},
    loadPostcodes: { body: exampleOf('loadPostcodes') },
    listSites: {},
    createSite: { body: { name: `site${n}` } },
    getSftpAccount: ofSite,
    renewSftpPassword: ofSite,
    listSftpPublicKeys: ofSite,
    addSftpPublicKey: { params: site, body: exampleOf('addSftpPublicKey') },
    removeSftpPublicKey: { params: site, query: { fingerprint } },
    listUsers: {},
    createUser: { body: { ...user, email: `other${n}@example.com` } },
    updateUser: { params: { idUser }, body: user },
    listTokens: {},
    createToken: { body: token },
    revokeToken: { params: { idToken: details.id } },
    listRoutes: ofSite,
    createRoute: { params: site, body: { ...route, position: 500 + n } },
    updateRoute: { params: { ...site, idRoute }, body: route },
    deleteRoute: { params: { ...site, idRoute } },
    ...(await makeWebhookCalls(t, (await post('/sites/shop/routes', route)).id)),
    listSendingDomains: ofSite,
    createSendingDomain: { params: site, body: { ...domain, domain: `e${n}.example` } },
    deleteSendingDomain: { params: { ...site, idSendingDomain } },
    getPrices: ofSite,
    setPrices: { params: site, body: exampleOf('setPrices') },
    markInvoicePaid: { params: { ...site, idInvoice }, body: true },
    ...{ listAlerts: {}, listProviders: {} },
    createProvider: { body: { ...provider, name: `Other ${n}`, domains: [`q${n}.example`] } },
    updateProvider: { params: { idProvider }, body: provider },
    listRegisteredRepositories: ofSite,
    registerRepository: { params: site, body: elsewhere.access },
    updateRepository: { ...ofRepository, body: elsewhere.access },
    deleteRepository: ofRepository,
    testRepository: ofRepository,
    acceptHostKey: { ...ofRepository, body: { hostKey: elsewhere.fingerprint } },
    setDefaultRepository: { params: site, body: { idRepository } },
    listMailbox: {},
    getMailboxMessage: { params: { idMessage: 1 } },
  };
}

/** Calls on the webhook of a route of its own. */
async function makeWebhookCalls(t: TestApp, idRoute: number): Promise<Record<string, Call>> {
  const body = exampleOf('setRouteWebhook');
  await t.call('PUT', `/admin/v1/sites/shop/routes/${idRoute}/webhook`, { body });
  const params = { idsite: 'shop', idRoute };
  return { setRouteWebhook: { params, body }, deleteRouteWebhook: { params } };
}
