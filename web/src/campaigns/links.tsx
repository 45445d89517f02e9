import { Button, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { partQuery } from './campaign-query.ts';

/** The links of the contents: for those who may change them the present ones, otherwise those that are stored. */
const linksQuery = (idsite: string, idCampaign: number, mayEdit: boolean) => {
  const params = { path: { idsite, idCampaign } };
  return partQuery(idsite, idCampaign, 'links', () =>
    mayEdit
      ? dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/tracked-links/default', { params }))
      : dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/tracked-links', { params })),
  );
};
type TrackedLink = Awaited<ReturnType<ReturnType<typeof linksQuery>['queryFn']>>[number];

const isWebAddress = ({ url }: TrackedLink) => !/^\s*(?:mailto|tel|sms):/i.test(url);

/** The links of the message: their names in the report, and whether clicks are counted. */
export function Links({ campaign, isReadOnly }: LinksProps) {
  const { words, format } = useWords();
  const texts = words.campaignParts.links;
  const site = useSite();
  const refusal = useRefusal();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(linksQuery(site.name, campaign.id, !isReadOnly));
  const trackAll = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/{idsite}/campaigns/tracked-links', {
          params: { path: { idsite: site.name } },
          body: campaign.id,
        }),
      ),
    onError: (failure) => toast({ text: refusal(failure) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] }),
  });
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const countable = data.filter(isWebAddress);
  const tracked = countable.filter(({ isTracked }) => isTracked).length;
  return (
    <section className="composer-wide" aria-label={texts.title}>
      <div className="row" style={{ justifyContent: 'space-between' }}>
        <div>
          <h2>{texts.title}</h2>
          <p className="small text-2">
            {data.length === 0
              ? texts.none
              : `${texts.text} ${texts.counts(format.count(tracked), format.count(countable.length))}`}
          </p>
        </div>
        {!isReadOnly && tracked < countable.length && (
          <Button loading={trackAll.isPending} onClick={() => trackAll.mutate()}>
            {texts.trackAll}
          </Button>
        )}
      </div>
      {data.length > 0 && (
        <div className="card flush" style={{ marginTop: 16 }}>
          <table className="table links">
            <thead>
              <tr>
                <th>{texts.columns.address}</th>
                <th>{texts.columns.name}</th>
                <th>{texts.columns.origin}</th>
                <th>{texts.columns.tracked}</th>
              </tr>
            </thead>
            <tbody>
              {data.map((link) => (
                <LinkRow key={link.id} campaign={campaign} link={link} isReadOnly={isReadOnly} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
interface LinksProps {
  readonly campaign: Campaign;
  readonly isReadOnly: boolean;
}

function LinkRow({ campaign, link, isReadOnly }: LinksProps & { readonly link: TrackedLink }) {
  const { words } = useWords();
  const texts = words.campaignParts.links;
  const { url, origin, isTracked, idAdvertisementInSegment, parameters } = link;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const draft = useFormDraft('link', `${campaign.id}.${idAdvertisementInSegment ?? ''}.${url}`);
  const [typed, setName] = draft.field('name', parameters.description);
  // A name makes a link tracked again, so that one without tracking has none to edit.
  const mayRename = !isReadOnly && isTracked;
  /** The names that were saved here. */
  const saved = useRef(new Set<string>());
  const began = draft.began('name') ?? parameters.description;
  // Not what was typed over another name, which another person has given since; but what was typed during a save.
  const isAfterSave = saved.current.has(parameters.description);
  const isOfStored =
    began === parameters.description || (isAfterSave && typed.trim() !== parameters.description);
  const name = mayRename && isOfStored ? typed : parameters.description;
  useEffect(() => {
    if (!isOfStored) draft.discard();
  }, [isOfStored, draft.discard]);
  const path = { idsite: site.name, idCampaign: campaign.id };
  const place = { url, ...(idAdvertisementInSegment !== null && { idAdvertisementInSegment }) };
  const change = useMutation({
    mutationFn: async (wanted: { readonly isTracked: boolean } | { readonly description: string }) => {
      const isOff = 'isTracked' in wanted && !wanted.isTracked;
      if (isOff)
        return dataOf(
          api.DELETE('/v1/{idsite}/campaigns/{idCampaign}/tracked-links/{idTrackedUrl}', {
            params: { path: { ...path, idTrackedUrl: link.id } },
          }),
        );
      const body = 'description' in wanted ? { ...place, parameters: wanted } : place;
      return dataOf(
        api.POST('/v1/{idsite}/campaigns/{idCampaign}/tracked-links', { params: { path }, body }),
      );
    },
    onError: (failure) => toast({ text: refusal(failure) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] }),
  });
  const saveName = () => {
    const description = name.trim();
    if (description === parameters.description) return draft.discard();
    saved.current.add(description);
    change.mutate({ description }, { onSuccess: () => toast({ text: texts.saved }) });
  };
  const mayTrack = isWebAddress(link);
  return (
    <tr>
      <td className="title link-address">
        <span className="mono wrap">{url}</span>
        {!mayTrack && <span className="label text-3 block">{texts.untrackable}</span>}
      </td>
      <td className="link-name">
        {mayTrack && (
          <TextInput
            aria-label={texts.name(url)}
            placeholder={texts.namePlaceholder}
            maxLength={500}
            readOnly={!mayRename}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onBlur={saveName}
            onKeyDown={(event) => event.key === 'Enter' && saveName()}
          />
        )}
      </td>
      <td className="text-2">{texts.origins[origin]}</td>
      <td>
        {mayTrack && (
          <Switch
            aria-label={texts.track(url)}
            disabled={isReadOnly || change.isPending}
            checked={isTracked}
            onChange={(event) => change.mutate({ isTracked: event.currentTarget.checked })}
          />
        )}
      </td>
    </tr>
  );
}
