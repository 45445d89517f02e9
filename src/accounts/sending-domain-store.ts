import { type Connection, isDuplicate } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Secrets } from '../platform/secrets.ts';
import {
  type DkimAlgorithm,
  type DkimKey,
  dnsRecordOf,
  type SendingDomainShown,
  withParents,
} from './sending-domain.ts';

const purpose = 'sending-domain.dkim';

interface StoredDomain {
  readonly id: number;
  readonly domain: string;
  readonly selector: string | null;
  readonly algorithm: DkimAlgorithm | null;
  readonly sealed: Buffer | null;
}

const columns = sql`id, domain, dkim_selector as selector, dkim_algorithm as algorithm,
  dkim_private_key as sealed`;

function keyOf(secrets: Secrets, row: StoredDomain): DkimKey | undefined {
  const { domain, selector, algorithm, sealed } = row;
  if (!selector || !algorithm || !sealed) return undefined;
  return { domain, selector, algorithm, privateKey: secrets.decrypt(purpose, sealed) };
}

function shown(secrets: Secrets, row: StoredDomain): SendingDomainShown {
  const key = keyOf(secrets, row);
  const record = key && dnsRecordOf(key);
  return {
    id: row.id,
    domain: row.domain,
    dkimSelector: row.selector,
    dkimAlgorithm: row.algorithm,
    dnsName: record?.name ?? null,
    dnsText: record?.text ?? null,
  };
}

/**
 * The keys that sign a site's messages from a domain, at most one of each algorithm: its own, otherwise that of the
 * closest parent domain, whose signature aligns with the sender as well (DMARC, relaxed). The RSA key comes first.
 * @param domain in lower case
 */
export async function dkimKeysFor(
  control: Connection,
  secrets: Secrets,
  idSite: number,
  domain: string,
): Promise<DkimKey[]> {
  const rows = await control.rows<StoredDomain>(sql`
    select distinct on (dkim_algorithm) ${columns} from facteur.sending_domain
    where id_site = ${idSite} and domain = any(${withParents(domain)}::text[]) and dkim_private_key is not null
    order by dkim_algorithm desc, length(domain) desc`);
  return rows.flatMap((row) => keyOf(secrets, row) ?? []);
}

export async function listSendingDomains(
  control: Connection,
  secrets: Secrets,
  idSite: number,
): Promise<SendingDomainShown[]> {
  const rows = await control.rows<StoredDomain>(
    sql`select ${columns} from facteur.sending_domain where id_site = ${idSite} order by domain, id`,
  );
  return rows.map((row) => shown(secrets, row));
}

/** @throws Refusal 409 when the site already has a key of this algorithm, or of this selector, for the domain. */
export async function createSendingDomain(
  control: Connection,
  secrets: Secrets,
  idSite: number,
  key: DkimKey,
): Promise<SendingDomainShown> {
  const sealed = secrets.encrypt(purpose, key.privateKey);
  try {
    return shown(
      secrets,
      await control.one<StoredDomain>(sql`
        insert into facteur.sending_domain (id_site, domain, dkim_selector, dkim_algorithm, dkim_private_key)
        values (${idSite}, ${key.domain}, ${key.selector}, ${key.algorithm}, ${sealed})
        returning ${columns}`),
    );
  } catch (error) {
    if (isDuplicate(error, 'sending_domain_selector'))
      throw conflict(
        `selector: '${key.selector}' is used by another key of '${key.domain}'; choose another one`,
      );
    if (isDuplicate(error, 'sending_domain_algorithm'))
      throw conflict(
        `The site already has the sending domain '${key.domain}' with a key for ${key.algorithm}`,
      );
    throw error;
  }
}

/** False when the site has no such domain. */
export async function deleteSendingDomain(control: Connection, idSite: number, id: number): Promise<boolean> {
  return control.touches(sql`delete from facteur.sending_domain where id_site = ${idSite} and id = ${id}`);
}

/** Whether any site sends from a domain, given in lower case. */
export async function isSendingDomain(control: Connection, domain: string): Promise<boolean> {
  return control.has(sql`select from facteur.sending_domain where domain = ${domain} limit 1`);
}
