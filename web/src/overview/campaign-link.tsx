import { Link } from '@tanstack/react-router';
import { useSite } from '../session/session.tsx';

/** The name of a campaign, which leads to it. */
export function CampaignLink({ id, name }: { readonly id: number; readonly name: string }) {
  const site = useSite();
  return (
    <Link
      className="strong"
      title={name}
      to="/$site/campaigns/$idCampaign"
      params={{ site: site.name, idCampaign: String(id) }}
    >
      <bdi className="anywhere">{name}</bdi>
    </Link>
  );
}
