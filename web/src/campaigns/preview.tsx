import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { MessageFrame } from '../parts/message-frame.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { partQuery, segmentsQuery } from './campaign-query.ts';
import type { Draft } from './use-draft.ts';

const widths = { desktop: 600, phone: 390 } as const;
type Width = keyof typeof widths;

/** The message as its first recipient would get it; while it is being written, as it is written. */
export function Preview({ campaign, draft }: { readonly campaign: Campaign; readonly draft: Draft }) {
  const { words } = useWords();
  const { composer } = words;
  const [width, setWidth] = useState<Width>('desktop');
  const { data, error, position } = useFilledMessage(campaign);
  const isFilled = data !== undefined && !draft.isDirty && position !== undefined;
  const html = isFilled ? (data.html ?? '') : draft.content.html;
  const noOne = position === undefined || (error instanceof ApiError && error.status < 500);
  return (
    <section className="composer-preview" aria-label={composer.parts.preview}>
      <div className="preview-bar">
        <span className="small text-2 cut">
          {isFilled ? composer.previewAs(data.email) : noOne ? composer.previewNobody : composer.asWritten}
        </span>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div className="segments" role="group" aria-label={composer.width}>
          {(['desktop', 'phone'] as const).map((one) => {
            const Icon = one === 'desktop' ? IconDeviceDesktop : IconDeviceMobile;
            return (
              <button
                key={one}
                type="button"
                aria-pressed={one === width}
                aria-label={composer[one]}
                title={composer[one]}
                onClick={() => setWidth(one)}
              >
                <Icon size={16} aria-hidden />
              </button>
            );
          })}
        </div>
      </div>
      <div className="preview-message" style={{ maxWidth: widths[width] + 2 }}>
        <div className="preview-head">
          <p className="strong cut">
            {(isFilled ? data.subject : draft.content.subject) || words.campaigns.noSubject}
          </p>
          {draft.content.preheader && <p className="small text-2 cut">{draft.content.preheader}</p>}
        </div>
        <MessageFrame title={composer.previewTitle} html={html} />
      </div>
      {isFilled &&
        [...data.problems, ...data.warnings].map((text) => (
          <p key={text} className="note amber" style={{ marginTop: 8 }}>
            {text}
          </p>
        ))}
    </section>
  );
}

/** The stored message, built for the first recipient of the first segment. */
function useFilledMessage({ id }: Campaign) {
  const site = useSite();
  const segments = useQuery(segmentsQuery(site.name, id)).data;
  const position = segments?.find(({ parameters }) => !parameters.isExcluded)?.position;
  const { data, error } = useQuery({
    ...partQuery(site.name, id, 'preview', () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/preview', {
          params: { path: { idsite: site.name, idCampaign: id, segmentPosition: position! } },
        }),
      ),
    ),
    enabled: position !== undefined,
    placeholderData: keepPreviousData,
  });
  return { data, error, position };
}
