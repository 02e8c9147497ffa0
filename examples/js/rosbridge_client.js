// Drives a robot forward a little with roslib, as a dashboard does. In a page it is the same, without the last lines.
//
//   sarathi run
//   npm install && node rosbridge_client.js ws://127.0.0.1:9091
import { Ros, Service, Topic } from 'roslib';

/** Connects to a rosbridge server. */
export const connect = url => new Promise((resolve, reject) => {
  const ros = new Ros({ url });
  ros.on('connection', () => resolve(ros));
  ros.on('error', event => reject(new Error(`no rosbridge server at ${url}: ${event?.message ?? event}`)));
});

/** Calls a service and resolves with its response. */
export const call = (ros, name, serviceType, request = {}) => new Promise((resolve, reject) => {
  new Service({ ros, name, serviceType }).callService(request, resolve, why => reject(new Error(`${name}: ${why}`)));
});

const tick = () => new Promise(resolve => setTimeout(resolve, 50));

/** Drives at speed m/s for some seconds, through the control mux: a source is chosen, then armed by commands of zero. */
export async function drive(ros, speed, seconds) {
  let status;
  const statuses = new Topic({ ros, name: '/control/status', messageType: 'dharma_interfaces/ControlStatus' });
  statuses.subscribe(message => { status = message; });
  const velocities = new Topic({ ros, name: '/control/remote/dashboard/cmd_vel', messageType: 'geometry_msgs/Twist' });
  const send = async x => {
    velocities.publish({ linear: { x } });
    await tick(); // 0.3 s of silence stop the robot
    if (status?.estop) throw new Error(`e-stop: ${status.estop_reasons.join('; ')}`);
  };
  const chosen = await call(ros, '/control/set_mode', 'dharma_interfaces/SetMode', { mode: 'remote', source: 'dashboard' });
  if (!chosen.success) throw new Error(`/control/set_mode: ${chosen.message}`);
  for (let i = 0; i < 3; i++) velocities.publish({}); // a status from before the change may say that it is armed
  const limit = Date.now() + 5000;
  while (!(status?.armed && status.remote_source === 'dashboard')) {
    if (Date.now() > limit) throw new Error('the robot is not armed within 5 s');
    await send(0);
  }
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) await send(speed);
  const { mode, active_source: source, command } = status;
  await send(0);
  statuses.unsubscribe();
  return { mode, source, speed: command.linear.x };
}

const [url = 'ws://127.0.0.1:9091', speed = '0.2', seconds = '2'] = process.argv.slice(2);
const ros = await connect(url);
try {
  console.log(JSON.stringify(await drive(ros, Number(speed), Number(seconds))));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  ros.close();
}
