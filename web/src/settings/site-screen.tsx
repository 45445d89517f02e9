import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { ifMatch, storeOver, type Versioned, versionedOf } from '../api/versions.ts';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useConflict } from '../parts/use-conflict.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useSettingsWords } from './words.ts';

type StoredSite = components['schemas']['Site'];

const readSite = (idsite: string) =>
  versionedOf(api.GET('/v1/{idsite}/site', { params: { path: { idsite } } }));

/** What the service knows about the site, and its settings, which its administrators change. */
export function SiteScreen() {
  const site = useSite();
  const query = useQuery({ queryKey: ['site', site.name], queryFn: () => readSite(site.name) });
  return (
    <SettingsPage section="site" query={query}>
      {(stored) => (
        <>
          <Confirming stored={stored} />
          <Facts site={stored.value} />
        </>
      )}
    </SettingsPage>
  );
}

/** The number of people from which it is typed to confirm a sending, and the form that changes it. */
function Confirming({ stored }: { readonly stored: Versioned<StoredSite> }) {
  const texts = useSettingsWords().site;
  const { format } = useWords();
  const site = useSite();
  const [isChanging, setChanging] = useState(false);
  const from = stored.value.typedConfirmationFrom;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{texts.confirming}</h2>
        {site.may('admin') && (
          <span className="aside">
            <Button size="xs" onClick={() => setChanging(true)}>
              {texts.change}
            </Button>
          </span>
        )}
      </div>
      <dl className="definition">
        <Fact name={texts.typed} about={from === 0 ? undefined : texts.typedText}>
          {from === 0 ? texts.never : texts.people(format.count(from), format.isOne(from))}
        </Fact>
      </dl>
      {isChanging && <SiteForm stored={stored} close={() => setChanging(false)} />}
    </section>
  );
}

/** What nobody changes here. */
function Facts({ site }: { readonly site: StoredSite }) {
  const texts = useSettingsWords().site;
  const { format } = useWords();
  const { settings } = useMe();
  return (
    <section className="card">
      <h2 className="card-head">{texts.facts}</h2>
      <dl className="definition">
        <Fact name={texts.name} about={texts.nameText}>
          <bdi className="mono">{site.name}</bdi>
        </Fact>
        <Fact name={texts.created}>{format.day(site.creationDate)}</Fact>
        <Fact name={texts.zone} about={texts.zoneText}>
          {texts.paris}
        </Fact>
        <Fact name={texts.delay} about={texts.delayText}>
          {settings.sendDelayInSeconds === 0 ? texts.none : format.length(settings.sendDelayInSeconds)}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, about, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {children}
        {about && <p className="small text-2">{about}</p>}
      </dd>
    </>
  );
}
interface FactProps {
  readonly name: string;
  /** What it means. */
  readonly about?: string | undefined;
  readonly children: ReactNode;
}

/** The largest number that the service stores. */
const most = 2_147_483_647;

/** The number of a text, in whatever way its thousands are divided; undefined for another text. */
function numberOf(text: string): number | undefined {
  const digits = text.replaceAll(/[\s.,’']/g, '');
  return /^\d{1,10}$/.test(digits) && Number(digits) <= most ? Number(digits) : undefined;
}

function SiteForm({ stored, close }: SiteFormProps) {
  const texts = useSettingsWords().site;
  const { format } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const kept = useFormDraft('site', stored.value.id);
  const [typed, setTyped] = kept.field('from', String(stored.value.typedConfirmationFrom));
  // What was restored began from the number of then.
  const first = Number(kept.began('from') ?? stored.value.typedConfirmationFrom);
  const { base, meet, show, draft } = useConflict(kept, first, (theirs) => setTyped(String(theirs)), {});
  const save = async () => {
    const typedConfirmationFrom = numberOf(typed);
    if (typedConfirmationFrom === undefined) return { typedConfirmationFrom: texts.noNumber };
    const path = { idsite: site.name };
    const outcome = await storeOver({
      known: undefined,
      read: () => readSite(site.name),
      isSame: (now) => [base.current, typedConfirmationFrom].includes(now.typedConfirmationFrom),
      write: ({ etag }) =>
        dataOf(
          api.PUT('/v1/{idsite}/site', {
            params: { path, header: ifMatch(etag) },
            body: { typedConfirmationFrom },
          }),
        ),
    });
    if (outcome && 'theirs' in outcome) {
      meet(outcome.theirs.value.typedConfirmationFrom);
      // Both numbers are shown above.
      return '';
    }
    // The composer has the number from the user's sites.
    await Promise.all(
      [['site', site.name], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
    toast({ text: texts.saved });
    return undefined;
  };
  return (
    <FormDrawer draft={draft} title={texts.confirming} close={close} save={save}>
      {show((theirs) => [{ key: 'from', name: texts.from, theirs: format.count(theirs), yours: typed }])}
      <TextField
        property="typedConfirmationFrom"
        data-autofocus
        label={texts.from}
        description={`${texts.typedText} ${texts.zeroText}`}
        inputMode="numeric"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
interface SiteFormProps {
  readonly stored: Versioned<StoredSite>;
  readonly close: () => void;
}
