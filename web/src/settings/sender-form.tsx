import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { ifMatch, storeOver, versionedOf } from '../api/versions.ts';
import { Conflict, shownValue } from '../parts/conflict.tsx';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
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
  const [typed, setTyped] = useState(() => typedFrom(sender, sender ? '' : footer(words.overview.sender)));
  const [days, setDays] = useState(daysOf(sender));
  /** The stored configuration that the user changes. */
  const base = useRef(sender);
  /** The configuration as another person saved it in the meantime. */
  const [conflict, setConflict] = useState<Sender>();
  const save = async () => {
    if (typed.name.trim() === '') return texts.noName;
    if (!typed.senderEMail.includes('@')) return texts.noAddress;
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
      setConflict(found);
      // Both versions are shown above.
      if (found) return '';
    } else await dataOf(api.POST('/v1/{idsite}/sending-configurations', { params, body }));
    await queries.invalidateQueries({ queryKey: ['sending-configurations', site.name] });
    toast({ text: texts.saved(body.name) });
    return undefined;
  };
  /** The properties of the field of one text. */
  const of = (key: TypedKey) => ({
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
      title={sender ? texts.change(sender.name) : texts.add}
      close={close}
      save={save}
      saveLabel={sender ? undefined : texts.create}
    >
      {conflict && (
        <Conflict
          fields={[
            ...typedKeys.map((key) => ({
              key,
              name: texts.form[key],
              theirs: shownValue(conflict[key]),
              yours: shownValue(typed[key]),
            })),
            { key: 'days', name: texts.days, theirs: shownValue(daysOf(conflict)), yours: shownValue(days) },
          ].filter(({ theirs, yours }) => theirs !== yours)}
          keepYours={({ currentTarget }) => {
            base.current = conflict;
            setConflict(undefined);
            currentTarget.form?.requestSubmit();
          }}
          takeTheirs={() => {
            base.current = conflict;
            setTyped(typedFrom(conflict, ''));
            setDays(daysOf(conflict));
            setConflict(undefined);
          }}
        />
      )}
      <TextInput data-autofocus maxLength={255} description={texts.nameText} {...of('name')} />
      <div className="pair">
        <TextInput maxLength={255} {...of('senderAlias')} />
        <TextInput type="email" maxLength={254} {...of('senderEMail')} />
        <TextInput maxLength={255} {...of('responseAlias')} />
        <TextInput type="email" maxLength={254} {...of('responseEMail')} />
      </div>
      <MoreFields title={texts.around}>
        <Textarea {...code} {...of('footerHtml')} />
        <Textarea {...code} {...of('footerTxt')} />
        <Textarea {...code} {...of('headerHtml')} />
        <Textarea {...code} {...of('headerTxt')} />
        <Textarea {...code} description={texts.unsubscribeText} {...of('unsubHtml')} />
        <Textarea {...code} {...of('unsubTxt')} />
      </MoreFields>
      <MoreFields title={texts.pages}>
        <NativeSelect
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
        <TextInput placeholder="#2f54c9" maxLength={7} {...of('pageColor')} />
        <TextInput type="url" placeholder="https://" maxLength={500} {...of('pageLogo')} />
      </MoreFields>
      <MoreFields title={parts.more}>
        <TextInput maxLength={255} description={texts.recipientText} {...of('recipientAlias')} />
        <TextInput maxLength={50} {...of('objectPrefixBAT')} />
        <TextInput maxLength={50} {...of('senderAliasPrefixBAT')} />
        <TextInput
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
