"""The swimmer: the fluid's forces vanish, a motion and its reverse lead nowhere, and returns add up by hand."""

import numpy as np
import pytest

from hpo_papers.dai2019.swimmer.motion import ACROSS, ALONG, body_motion, rewards
from hpo_papers.dai2019.swimmer.policies import HIGHEST, SPACE, STEPS, by_epoch, swimmer


def forces_and_torque(theta, phi, phi_speed, u):
    """Sum of the fluid's forces, and of their torques about the middle, from velocities by finite differences."""

    def centres(theta, phi, at):
        unit = [np.array([np.cos(a), np.sin(a)]) for a in (theta, theta + phi[0], theta + phi[1])]
        return np.array([at, at - unit[0] / 2 - unit[1] / 2, at + unit[0] / 2 + unit[2] / 2])

    h = 1e-6
    now, then = centres(theta, phi, np.zeros(2)), centres(theta + h * u[2], phi + h * phi_speed, h * u[:2])
    velocities = (then - now) / h
    angles, turning = (theta, *(theta + phi)), (u[2], *(u[2] + phi_speed))
    total, torque = np.zeros(2), 0.0
    for place, velocity, angle, turn in zip(now, velocities, angles, turning, strict=True):
        along = np.array([np.cos(angle), np.sin(angle)])
        normal = np.array([-along[1], along[0]])
        force = -ALONG * (velocity @ along) * along - ACROSS * (velocity @ normal) * normal
        total += force
        torque += place[0] * force[1] - place[1] * force[0] - ACROSS / 12 * turn
    return total, torque


def test_forces_and_torques_of_the_fluid_vanish():
    rng = np.random.default_rng(0)
    theta, phi, speed = rng.normal(size=6), rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    u = body_motion(theta, phi, speed)
    for k in range(6):
        total, torque = forces_and_torque(theta[k], phi[k], speed[k], u[k])
        np.testing.assert_allclose(total, 0.0, atol=1e-5)
        assert torque == pytest.approx(0.0, abs=1e-5)
    assert not body_motion(theta, phi, 0 * speed).any()


def test_a_motion_and_its_reverse_lead_nowhere():
    """Purcell's scallop: one joint that opens and closes."""
    theta, place, phi = np.zeros(1), np.zeros(2), np.array([[0.0, 0.3]])
    speeds = np.repeat([0.5, -0.5], 400)
    for value in speeds:
        speed = np.array([[value, 0.0]])
        middle = phi + 0.5 * 0.005 * speed
        u = body_motion(theta, middle, speed)
        u = body_motion(theta + 0.5 * 0.005 * u[:, 2], middle, speed)
        phi, theta, place = phi + 0.005 * speed, theta + 0.005 * u[:, 2], place + 0.005 * u[0, :2]
    assert np.abs([*place, *theta]).max() < 1e-4


def test_a_policy_without_weights_rests():
    assert not rewards(np.zeros((8, 2)), np.array([[0.1, 0.05, -0.1]]), 50).any()


def test_losses_are_discounted_and_never_rise():
    steps = np.zeros(STEPS)
    steps[: STEPS // 2] = HIGHEST / 2
    steps[STEPS // 2 :] = -1.0
    losses, returns = by_epoch(steps, 2, 0.5)
    assert losses.tolist() == pytest.approx([1 - 0.5 * 0.5 / 0.75] * 2)
    assert returns.tolist() == pytest.approx([HIGHEST * STEPS / 4, HIGHEST * STEPS / 4 - STEPS / 2])
    b = swimmer(20, 0.9)
    config = SPACE.sample(np.random.default_rng(2))
    results = [b.objective(config, n, seed=1) for n in (1, 10, 20)]
    assert results[0].loss >= results[1].loss >= results[2].loss >= 0
    assert [result.cost for result in results] == [0.05, 0.5, 1.0]
    assert b.objective(config, 20, seed=1) == results[2]
