import { useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { api, dataOf } from '../api/client.ts';
import { ifMatch, storeOver, versionedOf } from '../api/versions.ts';
import { shownValue } from '../parts/conflict.tsx';
import { LongTextField, SelectField, TextField } from '../parts/fields.tsx';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
import { useConflict } from '../parts/use-conflict.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import type { Sender } from './senders-screen.tsx';
import { useSettingsWords } from './words.ts';

const languages = ['', 'en', 'fr', 'de', 'es', 'it'] as const;

/** The texts of a sending configuration that are typed. */
const typedKeys = [
  'name',
  'senderEMail',
  'senderAlias',
  'responseEMail',
  'responseAlias',
  'recipientAlias',
  'objectPrefixBAT',
  'senderAliasPrefixBAT',
  'headerHtml',
  'headerTxt',
  'footerHtml',
  'footerTxt',
  'unsubHtml',
  'unsubTxt',
  'pageLanguage',
  'pageColor',
  'pageLogo',
] as const;
type TypedKey = (typeof typedKeys)[number];

/** Adds a sending configuration, or changes one. */
export function SenderForm({ sender, close }: SenderFormProps) {
  const texts = useSettingsWords().senders;
  const parts = usePartWords();
  const { words, language } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const kept = useFormDraft('sender', sender?.id);
  const [typed, setTyped] = kept.field(
    'typed',
    typedFrom(sender, sender ? '' : footer(words.overview.sender)),
  );
  const [days, setDays] = kept.field('days', daysOf(sender));
  const { base, meet, show, draft } = useConflict<Sender | undefined>(
    kept,
    // What was restored began from the configuration of then.
    sender && {
      ...sender,
      ...(kept.began('typed') as Partial<Sender> | undefined),
      ...(kept.began('days') !== undefined && { deleteEmailsAfter: Number(kept.began('days')) || null }),
    },
    (theirs) => {
      setTyped(typedFrom(theirs, ''));
      setDays(daysOf(theirs));
    },
    { idConfig: sender?.id ?? 0 },
  );
  const save = async () => {
    if (typed.name.trim() === '') return { name: texts.noName };
    if (!typed.senderEMail.includes('@')) return { senderEMail: texts.noAddress };
    const body = {
      ...typed,
      name: typed.name.trim(),
      // Without an address of their own, replies go to the sender.
      responseEMail: typed.responseEMail.trim() || typed.senderEMail,
      pageLanguage: typed.pageLanguage as (typeof languages)[number],
      deleteEmailsAfter: days.trim() === '' ? null : Number(days),
    };
    const params = { path: { idsite: site.name } };
    if (base.current) {
      const found = await storeSender(site.name, base.current, body);
      meet(found);
      // Both versions are shown above.
      if (found) return '';
    } else await dataOf(api.POST('/v1/{idsite}/sending-configurations', { params, body }));
    await queries.invalidateQueries({ queryKey: ['sending-configurations', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  /** The properties of the field of one text. */
  const of = (key: TypedKey) => ({
    property: key,
    label: texts.form[key],
    value: typed[key],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const { value } = event.currentTarget;
      setTyped((now) => ({ ...now, [key]: value }));
    },
  });
  const code = { rows: 5, spellCheck: false, styles: { input: { fontFamily: 'var(--f-mono)' } } } as const;
  return (
    <FormDrawer
      draft={draft}
      unique="name"
      title={sender ? texts.change(sender.name) : texts.add}
      close={close}
      save={save}
      saveLabel={sender ? undefined : texts.create}
    >
      {show((theirs) =>
        [
          ...typedKeys.map((key) => ({
            key,
            name: texts.form[key],
            theirs: shownValue(theirs?.[key]),
            yours: shownValue(typed[key]),
          })),
          { key: 'days', name: texts.days, theirs: shownValue(daysOf(theirs)), yours: shownValue(days) },
        ].filter((one) => one.theirs !== one.yours),
      )}
      <TextField data-autofocus maxLength={255} description={texts.nameText} {...of('name')} />
      <div className="pair">
        <TextField maxLength={255} {...of('senderAlias')} />
        <TextField type="email" maxLength={254} {...of('senderEMail')} />
        <TextField maxLength={255} {...of('responseAlias')} />
        <TextField type="email" maxLength={254} {...of('responseEMail')} />
      </div>
      <MoreFields title={texts.around}>
        <LongTextField {...code} {...of('footerHtml')} />
        <LongTextField {...code} {...of('footerTxt')} />
        <LongTextField {...code} {...of('headerHtml')} />
        <LongTextField {...code} {...of('headerTxt')} />
        <LongTextField {...code} description={texts.unsubscribeText} {...of('unsubHtml')} />
        <LongTextField {...code} {...of('unsubTxt')} />
      </MoreFields>
      <MoreFields title={texts.pages}>
        <SelectField
          property="pageLanguage"
          label={texts.form.pageLanguage}
          value={typed.pageLanguage}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setTyped((now) => ({ ...now, pageLanguage: value }));
          }}
          data={languages.map((value) => ({
            value,
            label:
              value === ''
                ? texts.readersLanguage
                : (new Intl.DisplayNames(language, { type: 'language' }).of(value) ?? value),
          }))}
        />
        <TextField placeholder="#2f54c9" maxLength={7} {...of('pageColor')} />
        <TextField type="url" placeholder="https://" maxLength={500} {...of('pageLogo')} />
      </MoreFields>
      <MoreFields title={parts.more}>
        <TextField maxLength={255} description={texts.recipientText} {...of('recipientAlias')} />
        <TextField maxLength={50} {...of('objectPrefixBAT')} />
        <TextField maxLength={50} {...of('senderAliasPrefixBAT')} />
        <TextField
          property="deleteEmailsAfter"
          label={texts.days}
          description={texts.daysText}
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
      </MoreFields>
    </FormDrawer>
  );
}
interface SenderFormProps {
  /** Undefined for a new one. */
  readonly sender: Sender | undefined;
  readonly close: () => void;
}

const daysOf = (sender: Sender | undefined) =>
  sender?.deleteEmailsAfter ? String(sender.deleteEmailsAfter) : '';

/** The typed properties of a configuration. */
type SenderBody = Omit<Record<TypedKey, string>, 'pageLanguage'> & {
  readonly pageLanguage: (typeof languages)[number];
  readonly deleteEmailsAfter: number | null;
};

/** Stores a configuration over `base`; returns the stored one instead if another person changed it in the meantime. */
async function storeSender(idsite: string, base: Sender, body: SenderBody): Promise<Sender | undefined> {
  const keys = [...typedKeys, 'deleteEmailsAfter'] as const;
  const outcome = await storeOver<Sender, unknown>({
    known: undefined,
    read: () =>
      versionedOf(
        api.GET('/v1/{idsite}/sending-configurations/{idConfig}', {
          params: { path: { idsite, idConfig: base.id } },
        }),
      ),
    isSame: (stored) => keys.every((key) => [base[key], body[key]].includes(stored[key])),
    write: ({ etag }) =>
      dataOf(
        api.PUT('/v1/{idsite}/sending-configurations', {
          params: { path: { idsite }, header: ifMatch(etag) },
          body: { ...body, id: base.id },
        }),
      ),
  });
  return outcome && 'theirs' in outcome ? outcome.theirs.value : undefined;
}

/** What the form shows first. A new configuration has a footer with the unsubscribe link. */
function typedFrom(sender: Sender | undefined, footerHtml: string): Record<TypedKey, string> {
  const entries = typedKeys.map((key) => [key, sender?.[key] ?? (key === 'footerHtml' ? footerHtml : '')]);
  return Object.fromEntries(entries);
}

const footer = ({ footer, unsubscribe }: { readonly footer: string; readonly unsubscribe: string }) =>
  `<p style="font:12px/18px sans-serif;color:#57534c">${footer} <a href="[[LINK.UNSUB]]">${unsubscribe}</a></p>`;
