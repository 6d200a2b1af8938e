import type { LoadClient } from './load-client.ts';
import type { MeasurePlan } from './plan.ts';

/** Fewer do not make a server so busy that it is compiled within seconds. */
const CONNECTIONS_MIN = 16;
/** For a server that is warm to come to rest at fewer connections. */
const SETTLE_SECONDS = 0.5;

/**
 * Sees to it that a server is compiled by the time a measurement with few connections begins: does the same with more
 * of them. Gives the plan of what is left to do.
 */
export async function warmUp(load: LoadClient, plan: MeasurePlan): Promise<MeasurePlan> {
  const [role] = plan.roles;
  if (role === undefined || plan.roles.length > 1 || role.connections >= CONNECTIONS_MIN || plan.warmupSeconds === 0) {
    return plan;
  }
  const roles = [{ ...role, connections: CONNECTIONS_MIN }];
  await load.call('measure', { ...plan, roles, seconds: plan.warmupSeconds, warmupSeconds: 0 });
  return { ...plan, warmupSeconds: Math.min(SETTLE_SECONDS, plan.warmupSeconds) };
}
