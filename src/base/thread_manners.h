#pragma once

namespace ff {

/// While one lives, its thread and those that it starts do not take a core from a running thread
/// when they wake up: they wait for a free one, or for the end of a slice. For threads that wait
/// for one busy thread again and again: if each answer of it wakes somebody who pushes it aside,
/// it spends a fifth of its time being pushed. Where cores are free nothing changes.
class GivesWay {
  public:
    GivesWay();
    ~GivesWay();
    GivesWay(const GivesWay&) = delete;
    GivesWay& operator=(const GivesWay&) = delete;

  private:
    bool changed_ = false;
};

/// For the busy thread itself, whoever has started it.
void take_precedence();

}  // namespace ff
