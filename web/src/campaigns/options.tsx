import { Button, Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRefusal } from '../api/use-refusal.ts';
import { ChoiceState, useIsSlow } from '../parts/choice-state.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { campaignQuery, type ReadCampaign } from './campaign-query.ts';
import { changeParameter } from './change-parameter.ts';
import type { Content } from './content.ts';
import { hintBelow } from './hint-below.ts';
import { configurationsQuery, optionQueries } from './option-queries.ts';
import type { Draft } from './use-draft.ts';

interface OptionsProps {
  readonly campaign: Campaign;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
}

/** Who writes, and how the message is sent. */
export function Options({ campaign, draft, isReadOnly }: OptionsProps) {
  const { words } = useWords();
  const texts = words.campaignParts.options;
  const { content, change } = draft;
  const isTransactional = content.type === 'Transac';
  return (
    <section className="composer-form" aria-label={words.campaignParts.tabs.options}>
      {campaign.parameters.isArchive && <p className="note">{texts.archived}</p>}
      <ConfigurationChoice draft={draft} isReadOnly={isReadOnly} />
      <TextInput
        label={texts.senderAlias}
        data-place="alias"
        description={texts.senderAliasHint}
        {...hintBelow}
        maxLength={255}
        readOnly={isReadOnly}
        value={content.senderAlias}
        onChange={(event) => change({ senderAlias: event.currentTarget.value })}
      />
      <TextInput
        label={texts.responseAlias}
        data-place="alias"
        description={texts.responseAliasHint}
        {...hintBelow}
        maxLength={255}
        readOnly={isReadOnly}
        value={content.responseAlias}
        onChange={(event) => change({ responseAlias: event.currentTarget.value })}
      />
      <Switches content={content} change={change} isReadOnly={isReadOnly} />
      <Choice name="idDirectory" label={texts.directory} draft={draft} isReadOnly={isReadOnly} />
      <Choice
        name="idThematic"
        label={texts.thematic}
        hint={texts.thematicHint}
        draft={draft}
        isReadOnly={isReadOnly}
      />
      <NativeSelect
        label={texts.type}
        data-place="type"
        disabled={isReadOnly}
        value={content.type}
        error={isTransactional ? texts.types.Transac : undefined}
        onChange={(event) => change({ type: event.currentTarget.value as Content['type'] })}
        data={Object.entries(texts.types).map(([value, label]) => ({ value, label }))}
      />
      <details>
        <summary className="h3">{texts.more}</summary>
        <div className="composer-more">
          <NumberInput
            hideControls
            label={texts.speed}
            description={texts.speedHint}
            {...hintBelow}
            min={0}
            max={2_147_483_647}
            allowDecimal={false}
            readOnly={isReadOnly}
            value={content.sendingSpeed}
            onChange={(value) => change({ sendingSpeed: Number(value) || 0 })}
          />
          <Choice
            name="idTemplate"
            label={texts.template}
            hint={texts.templateHint}
            draft={draft}
            isReadOnly={isReadOnly}
          />
          <Choice name="idCommonAdvertiser" label={texts.advertiser} draft={draft} isReadOnly={isReadOnly} />
          <Choice
            name="idCommonAffiliatePlatform"
            label={texts.affiliation}
            draft={draft}
            isReadOnly={isReadOnly}
          />
        </div>
      </details>
      {!isReadOnly && <Archive campaign={campaign} />}
    </section>
  );
}

/** The sending configuration, with the addresses that it brings. */
function ConfigurationChoice({ draft, isReadOnly }: Omit<OptionsProps, 'campaign'>) {
  const { words } = useWords();
  const texts = words.campaignParts.options;
  const site = useSite();
  const query = useQuery(configurationsQuery(site.name));
  const { data = [] } = query;
  const { content, change } = draft;
  const chosen = data.find(({ id }) => id === content.idConfiguration);
  const none = query.data ? words.composer.noSender : '–';
  const unlisted = content.idConfiguration === null ? none : String(content.idConfiguration);
  return (
    <div>
      <NativeSelect
        label={texts.configuration}
        id="composer-configuration"
        data-place="configuration"
        disabled={isReadOnly}
        value={String(content.idConfiguration ?? '')}
        onChange={(event) => change({ idConfiguration: Number(event.currentTarget.value) || null })}
        data={[
          ...(chosen ? [] : [{ value: String(content.idConfiguration ?? ''), label: unlisted }]),
          ...data.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <ChoiceState query={query} />
      {chosen && (
        <p className="small text-2 wrap" style={{ marginTop: 6 }}>
          {texts.from(content.senderAlias || chosen.senderAlias, chosen.senderEMail)}
          <br />
          {texts.repliesTo(content.responseAlias || chosen.responseAlias, chosen.responseEMail)}
        </p>
      )}
    </div>
  );
}

function Switches({ content, change, isReadOnly }: SwitchesProps) {
  const { words } = useWords();
  const texts = words.campaignParts.options;
  return (
    <>
      {(
        [
          ['useListUnsubscribeHeader', texts.oneClick, texts.oneClickHint],
          ['isOneshot', texts.oneShot, texts.oneShotHint],
          ['notifyHighDelivrability', texts.notify, texts.notifyHint],
        ] as const
      ).map(([name, label, description]) => (
        <Checkbox
          key={name}
          disabled={isReadOnly}
          checked={content[name]}
          onChange={(event) => change({ [name]: event.currentTarget.checked })}
          label={label}
          description={description}
        />
      ))}
    </>
  );
}
interface SwitchesProps extends Pick<Draft, 'content' | 'change'> {
  readonly isReadOnly: boolean;
}

interface ChoiceProps extends Omit<OptionsProps, 'campaign'> {
  readonly name: keyof typeof optionQueries;
  readonly label: string;
  readonly hint?: string;
}

/** One of the site's records, or none. Not shown while there is nothing to choose. */
function Choice({ name, label, hint, draft, isReadOnly }: ChoiceProps) {
  const { words } = useWords();
  const site = useSite();
  const query = useQuery({
    queryKey: ['options', site.name, name],
    queryFn: () => optionQueries[name](site.name),
  });
  const { data = [] } = query;
  const isSlow = useIsSlow();
  const chosen = draft.content[name];
  const isEmpty = query.data ? data.length === 0 : !query.error && !isSlow;
  if (isEmpty && chosen === null) return null;
  return (
    <div>
      <NativeSelect
        label={label}
        description={hint}
        {...hintBelow}
        disabled={isReadOnly}
        data-place={name}
        value={String(chosen ?? '')}
        onChange={(event) => draft.change({ [name]: Number(event.currentTarget.value) || null })}
        data={[
          { value: '', label: words.campaignParts.options.none },
          ...data.map((one) => ({ value: String(one.id), label: one.name })),
          ...(chosen === null || data.some(({ id }) => id === chosen)
            ? []
            : [{ value: String(chosen), label: String(chosen) }]),
        ]}
      />
      <ChoiceState query={query} />
    </div>
  );
}

/** Archives the campaign at once, with a way back. */
function Archive({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const texts = words.campaignParts.options;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const { name, isArchive } = campaign.parameters;
  const set = async (archived: boolean): Promise<void> => {
    try {
      const { queryKey } = campaignQuery(site.name, campaign.id);
      // What is stored now, which the undo begins from as well.
      const now = queries.getQueryData<ReadCampaign>(queryKey) ?? campaign;
      const outcome = await changeParameter(site.name, now, 'isArchive', archived);
      if (outcome && 'stored' in outcome) {
        const { value, etag } = outcome.stored;
        queries.setQueryData<ReadCampaign>(queryKey, (before) => before && { ...before, ...value, etag });
      }
      const text = archived ? words.campaigns.archived(name) : words.campaigns.restored(name);
      toast({ text, seconds: 10, undo: () => set(!archived) });
    } catch (error) {
      toast({ text: refusal(error) });
    }
  };
  return (
    <div>
      <Button onClick={() => void set(!isArchive)}>{isArchive ? texts.restore : texts.archive}</Button>
    </div>
  );
}
