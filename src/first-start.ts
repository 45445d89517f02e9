import { newSecretText } from './accounts/session.ts';
import { createSftpAccount } from './accounts/sftp-account-store.ts';
import { createSite, listSites } from './accounts/site-store.ts';
import { newTokenText } from './accounts/token.ts';
import { createToken, hasAdminToken, tokenExists } from './accounts/token-store.ts';
import { createUser, findUserByEmail, hasUsers } from './accounts/user-store.ts';
import { checkInstallation } from './installation/check-installation.ts';
import { keepSecretCheck } from './installation/installation-store.ts';
import type { App } from './platform/app.ts';
import { keepOnce, readKept } from './platform/data-dir.ts';

/** Name of the file in the data directory that keeps the first administrator's token. */
export const adminTokenFile = 'admin-token';
/** Name of the file in the data directory that keeps the first administrator's password. */
export const adminPasswordFile = 'admin-password';
const administrator = { name: 'Administrator', email: 'admin@localhost' };

/** Creates missing parts of an installation; returns those that are shown once: site, administrator, token. */
export async function makeFirstThings(app: App) {
  return app.control.withClient(async (client) => {
    // A lock of the session: the work below has transactions of its own, on other connections.
    await client.query(`select pg_advisory_lock(hashtextextended('facteur.first-start', 0))`);
    try {
      const at = app.clock.now();
      await checkSecret(app);
      await checkInstallation(app);
      const sites = await listSites(app.control);
      if (sites.length === 0) await createSite(app.control, app.secrets, 'demo', at);
      for (const site of sites) await createSftpAccount(app.control, app.secrets, site);
      const firstUser = await ensureUser(app, at);
      return { firstUser, adminToken: await ensureAdminToken(app, at) };
    } finally {
      await client.query(`select pg_advisory_unlock(hashtextextended('facteur.first-start', 0))`);
    }
  });
}

/** @throws Error when the database was made with another secret. */
export async function checkSecret({ control, secrets }: App): Promise<void> {
  const ours = secrets.sign('installation', Buffer.from('check'));
  const theirs = await keepSecretCheck(control, ours);
  if (!ours.equals(theirs)) {
    throw new Error(
      'The database was made with another secret; set that secret in FACTEUR_SECRET ' +
        'or into the file `secret` of the data directory',
    );
  }
}

/** The first user, when there was none at all. */
async function ensureUser({ config, control }: App, at: Date) {
  if (await hasUsers(control)) return undefined;
  // The file comes first: after a crash in between, the next start makes the user with the same password.
  const password = keepOnce(config.dataDir, adminPasswordFile, newSecretText);
  await createUser(control, { ...administrator, password, isAdministrator: true }, at);
  return { email: administrator.email, password };
}

/** The text of a token that was made now; undefined when there was nothing to make. */
async function ensureAdminToken(app: App, at: Date): Promise<string | undefined> {
  const { config, control } = app;
  const given = config.adminToken;
  if (given !== undefined) {
    if (!(await tokenExists(control, given))) await makeAdminToken(app, given, at);
    // Anyone who configured it knows it; it is not repeated on any terminal.
    return undefined;
  }
  // The file comes first: after a crash in between, the next start finds it and makes the row that is missing.
  const kept = readKept(config.dataDir, adminTokenFile);
  if (await hasAdminToken(control, at)) return undefined;
  if (kept !== undefined && (await tokenExists(control, kept))) return undefined;
  const text = keepOnce(config.dataDir, adminTokenFile, newTokenText);
  await makeAdminToken(app, text, at);
  return text;
}

async function makeAdminToken(app: App, text: string, at: Date): Promise<void> {
  const user =
    (await findUserByEmail(app.control, administrator.email)) ??
    (await createUser(app.control, administrator, at));
  await app.control.transaction(async (tx) => {
    const label = 'first administrator';
    await createToken(
      tx,
      { idUser: user.id, label, role: 'admin', idsSite: null, expiresAt: null, text },
      at,
    );
  });
}
