import { Button } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconWorld } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { SelectField, TextField } from '../parts/fields.tsx';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
import { SearchedHere } from '../parts/searched-here.tsx';
import { Empty } from '../parts/states.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { DomainRecords } from './domain-records.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSectionSearch } from './use-section-search.ts';
import { useSettingsWords } from './words.ts';

export type DomainKey = components['schemas']['SendingDomain'];

/** The domains that the site sends from, each with the records to publish in the DNS. */
export function DomainsScreen() {
  const texts = useSettingsWords().domains;
  const site = useSite();
  const { isAdministrator } = useMe();
  const domains = useQuery({
    queryKey: ['sending-domains', site.name],
    enabled: isAdministrator,
    queryFn: () =>
      dataOf(
        api.GET('/admin/v1/sites/{idsite}/sending-domains', { params: { path: { idsite: site.name } } }),
      ),
  });
  const found = useSectionSearch('domains');
  /** The domain of a new key; empty for a new domain. */
  const [added, setAdded] = useState<string>();
  const [removed, setRemoved] = useState<DomainKey>();
  return (
    <SettingsPage section="domains" query={domains} add={{ label: texts.add, run: () => setAdded('') }}>
      {(keys) => (
        <>
          <SearchedHere
            {...found}
            all={[...new Set(keys.map(({ domain }) => domain))]}
            textOf={(domain) => domain}
            searchLabel={texts.search}
            hasCards
            table={(shown) =>
              shown.map((domain) => (
                <DomainCard
                  key={domain}
                  domain={domain}
                  keys={keys.filter((key) => key.domain === domain)}
                  addKey={() => setAdded(domain)}
                  remove={setRemoved}
                />
              ))
            }
            empty={<Empty title={texts.empty} text={texts.emptyText} />}
          />
          {added !== undefined && <DomainForm domain={added} close={() => setAdded(undefined)} />}
          {removed && <RemoveKey removed={removed} close={() => setRemoved(undefined)} />}
        </>
      )}
    </SettingsPage>
  );
}

function DomainCard({ domain, keys, addKey, remove }: DomainCardProps) {
  const texts = useSettingsWords().domains;
  const hasRsa = keys.some(({ dkimAlgorithm }) => dkimAlgorithm === 'rsa-sha256');
  return (
    <section className="card" aria-label={domain}>
      <div className="card-head" style={{ flexWrap: 'wrap' }}>
        <IconWorld size={18} stroke={1.75} className="text-3" aria-hidden />
        <h2 className="anywhere">{domain}</h2>
        <span className={`state ${hasRsa ? 'green' : 'amber'}`}>
          {hasRsa ? <IconCircleCheck size={16} aria-hidden /> : <IconAlertCircle size={16} aria-hidden />}
          {hasRsa ? texts.signed : texts.onlyEd25519}
        </span>
        {keys.length === 1 && (
          <span className="aside">
            <Button size="xs" onClick={addKey}>
              {hasRsa ? texts.addEd25519 : texts.addRsa}
            </Button>
          </span>
        )}
      </div>
      <DomainRecords domain={domain} keys={keys} remove={remove} />
    </section>
  );
}
interface DomainCardProps {
  readonly domain: string;
  readonly keys: readonly DomainKey[];
  readonly addKey: () => void;
  readonly remove: (key: DomainKey) => void;
}

/** Adds a domain with its key, or the second key of a domain. */
function DomainForm({ domain, close }: { readonly domain: string; readonly close: () => void }) {
  const texts = useSettingsWords().domains;
  const site = useSite();
  const queries = useQueryClient();
  const known = queries.getQueryData<readonly DomainKey[]>(['sending-domains', site.name]) ?? [];
  const isSecond = domain !== '';
  const hasRsa = known.some((key) => key.domain === domain && key.dkimAlgorithm === 'rsa-sha256');
  const draft = useFormDraft('domain', domain || 'new');
  const [name, setName] = draft.field('name', domain);
  const [algorithm, setAlgorithm] = draft.field(
    'algorithm',
    isSecond && hasRsa ? ('ed25519-sha256' as const) : ('rsa-sha256' as const),
  );
  const [selector, setSelector] = draft.field('selector', '');
  const save = async () => {
    if (name.trim() === '') return { domain: texts.noDomain };
    const created = await dataOf(
      api.POST('/admin/v1/sites/{idsite}/sending-domains', {
        params: { path: { idsite: site.name } },
        body: { domain: name.trim(), algorithm, ...(selector.trim() && { selector: selector.trim() }) },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['sending-domains', site.name] });
    toast({ text: texts.added(created.domain) });
    return undefined;
  };
  return (
    <FormDrawer
      draft={draft}
      unique="domain"
      title={isSecond ? texts.secondKey(domain) : texts.add}
      close={close}
      save={save}
      saveLabel={texts.create}
    >
      <p className="text-2">{texts.formText}</p>
      <TextField
        property="domain"
        data-autofocus={!isSecond || undefined}
        label={texts.domain}
        placeholder="news.example.org"
        spellCheck={false}
        autoCapitalize="none"
        disabled={isSecond}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MoreFields>
        <SelectField
          property="algorithm"
          label={texts.algorithm}
          description={texts.algorithmText}
          disabled={isSecond}
          value={algorithm}
          onChange={(event) => setAlgorithm(event.currentTarget.value as typeof algorithm)}
          data={[
            { value: 'rsa-sha256', label: 'RSA' },
            { value: 'ed25519-sha256', label: 'Ed25519' },
          ]}
        />
        <TextField
          property="selector"
          label={texts.selector}
          description={texts.selectorText}
          placeholder={algorithm === 'rsa-sha256' ? 'facteur' : 'facteur-ed25519'}
          spellCheck={false}
          value={selector}
          onChange={(event) => setSelector(event.currentTarget.value)}
        />
      </MoreFields>
    </FormDrawer>
  );
}

function RemoveKey({ removed, close }: { readonly removed: DomainKey; readonly close: () => void }) {
  const texts = useSettingsWords().domains;
  const site = useSite();
  const queries = useQueryClient();
  return (
    <Confirm
      title={texts.removeTitle(removed.domain)}
      text={texts.removeText}
      action={texts.remove}
      close={close}
      confirm={async () => {
        await dataOf(
          api.DELETE('/admin/v1/sites/{idsite}/sending-domains/{idSendingDomain}', {
            params: { path: { idsite: site.name, idSendingDomain: removed.id } },
          }),
        );
        await queries.invalidateQueries({ queryKey: ['sending-domains', site.name] });
        toast({ text: texts.removed(removed.domain) });
      }}
    />
  );
}
