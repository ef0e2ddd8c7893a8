"""A swimmer of three links in a viscous fluid, without inertia of the body (Purcell, 1977), episodes side by side.

    theta            direction of the middle link             u = (vx, vy, omega)     motion of the middle link
    phi_1, phi_2     angles of the outer links against it     e(a), n(a)              unit vector at angle a, its normal

Links have length 1 and resist motion along themselves by a force of 1 per unit of speed, and across by 2. Motors at the
two joints accelerate phi. The fluid's forces and torques on the whole body vanish at every moment, which is a linear
system for u given the speeds of the joints.

It stands in for Swimmer-v2 of MuJoCo, which has the same joints, motors and observations, and inertia besides.
"""

from __future__ import annotations

import numpy as np

STEPS, DT = 1000, 0.04
ALONG, ACROSS = 1.0, 2.0  # resistance
GAIN, DAMPING = 4.0, 1.0  # of the motors
FREE, SPRING = 1.75, 30.0  # a joint that turns further is pushed back
EFFORT = 1e-4  # price of the squared actions
N_OBSERVED, N_ACTIONS = 8, 2


def body_motion(theta: np.ndarray, phi: np.ndarray, phi_speed: np.ndarray) -> np.ndarray:
    """(k, 3) motion u of the middle links, from directions (k,), angles (k, 2) and speeds (k, 2) of the joints."""
    k = len(theta)
    matrix, right = np.zeros((k, 3, 3)), np.zeros((k, 3))
    sides = ((0.0, None), (-1.0, 0), (1.0, 1))  # the middle link, and the outer ones with their joints
    middle_normal = np.stack([-np.sin(theta), np.cos(theta)], axis=-1)
    for side, joint in sides:
        angle = theta if joint is None else theta + phi[:, joint]
        own = np.zeros(k) if joint is None else phi_speed[:, joint]
        along = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        normal = np.stack([-along[:, 1], along[:, 0]], axis=-1)
        # velocity of the link's centre: shares of vx, vy and omega, and what the joint's own speed adds
        shares = np.zeros((k, 2, 3))
        shares[:, 0, 0] = shares[:, 1, 1] = 1.0
        shares[:, :, 2] = 0.5 * side * (middle_normal + normal)
        added = 0.5 * side * normal * own[:, None]
        resistance = ALONG * along[:, :, None] * along[:, None] + ACROSS * normal[:, :, None] * normal[:, None]
        forces = np.swapaxes(shares, 1, 2) @ resistance
        matrix += forces @ shares
        right -= (forces @ added[:, :, None])[:, :, 0]
        matrix[:, 2, 2] += ACROSS / 12.0
        right[:, 2] -= ACROSS / 12.0 * own
    return np.linalg.solve(matrix, right[:, :, None])[:, :, 0]


def rewards(policy: np.ndarray, first_angles: np.ndarray, steps: int = STEPS) -> np.ndarray:
    """(k, steps) rewards of episodes: the way forward in a step, less the price of the actions.

    Parameters
    ----------
    policy
        (8, 2) weights: actions are weighted sums of theta, phi, u and the speeds of phi, clipped to [-1, 1].
    first_angles
        (k, 3) theta and phi at the beginning of each episode, at rest.
    steps
        Of an episode.
    """
    theta, phi = first_angles[:, 0].copy(), first_angles[:, 1:].copy()
    speed, u = np.zeros_like(phi), np.zeros((len(phi), 3))
    found = np.empty((len(phi), steps))
    for step in range(steps):
        action = np.clip(np.concatenate([theta[:, None], phi, u, speed], axis=1) @ policy, -1.0, 1.0)
        excess = phi - np.clip(phi, -FREE, FREE)
        speed += DT * (GAIN * action - DAMPING * speed - SPRING * excess)
        phi += DT * speed
        u = body_motion(theta, phi, speed)
        theta += DT * u[:, 2]
        found[:, step] = DT * u[:, 0] - EFFORT * np.square(action).sum(axis=1)
    return found
