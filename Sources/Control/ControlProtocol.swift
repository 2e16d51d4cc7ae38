/// The control protocol as a whole.
public enum ControlProtocol {
  /// Every method that a world answers, by group.
  public static let methods: [any ControlMethod.Type] = [
    WorldStatus.self, WorldStop.self,
    DeviceList.self, DeviceMount.self, DeviceUnmount.self, DeviceRemove.self,
    ItemList.self, ItemStatus.self, ItemDownload.self, ItemEvict.self, ItemPin.self,
    CloudList.self, CloudRead.self, CloudRefresh.self,
    CloudPut.self, CloudMakeFolder.self, CloudMove.self, CloudDelete.self,
    NetworkGet.self, NetworkSet.self,
    GateClose.self, GateOpen.self, GateFail.self, GateCancel.self, GateList.self, GateAwait.self,
    ClockGet.self, ClockAdvance.self, ClockSet.self,
    LedgerQuery.self, LedgerFollow.self, LedgerAwait.self, LedgerClear.self,
    GrantAdd.self, GrantRemove.self, GrantList.self,
    RequestCancel.self,
  ]
}
